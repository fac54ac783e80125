/** Runs before the first paint, from the page's head: sets colour scheme and language from what is stored, so nothing flashes. */
(function () {
  var root = document.documentElement;
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }
  var mode = stored("theme-mode");
  var isDark = mode === "dark" || (mode !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
  var language = stored("i18nextLng") || navigator.language || "en";
  root.lang = language.toLowerCase().indexOf("zh") === 0 ? "zh" : "en";
})();
