/** Posts the form that the wallet left in this tab to the gateway it is for; without one it redirects to the wallet. */
(function () {
  var stored = sessionStorage.getItem("payment_form");
  sessionStorage.removeItem("payment_form");
  if (stored === null) return location.replace("/topup");
  var left = JSON.parse(stored);
  var form = document.createElement("form");
  form.method = "post";
  form.action = left.url;
  form.hidden = true;
  for (var name in left.fields) {
    var input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = left.fields[name];
    form.append(input);
  }
  document.body.append(form);
  form.submit();
})();
