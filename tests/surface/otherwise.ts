/** Deliberate differences from other products of this API family, each with its reason; reviewed like code. */

export interface Otherwise {
  /** A fact of the tables that is not so here; undefined where it is about behaviour that they do not hold. */
  fact?: string;
  /** What is otherwise. */
  what: string;
  reason: string;
}

export const OTHERWISE: readonly Otherwise[] = [
  {
    what: "Passwords have 8 to 128 characters everywhere; elsewhere 20 at most where an account begins. The commonest, and the names of site and account, are refused.",
    reason: "Twenty characters leave no room for a sentence, which is what people can remember and nobody can guess.",
  },
  {
    what: "The key of a channel is written and never read back; lists have its first and last characters.",
    reason:
      "Whoever takes over an administrator's browser would have every upstream account; copies are made on the server.",
  },
  {
    what: "Secrets among the options are never sent, only whether they are set.",
    reason: "The settings page shows what it needs, and a page that is left open or saved holds nothing to steal.",
  },
  {
    what: "A GET that changes something wants the header New-Api-User or a request of the same site; each has a POST beside it.",
    reason:
      "A picture or a link on another site would otherwise log people out, change their access token or start tests.",
  },
  {
    what: "GET /api/user/token wants a confirmation within ten minutes, and makes or replaces one of several access tokens, the one named API.",
    reason: "Whoever held a stolen session for a minute would otherwise keep the account by a token that nothing ends.",
  },
  {
    what: "The link of a password reset opens a page with a button, and the button makes the new password.",
    reason: "Mail scanners open links before people do; the link would be used up, and its password seen by nobody.",
  },
  {
    what: "After the setup the console opens by itself, logged in, instead of reloading the wizard's page.",
    reason:
      "A reload would lead to the login page, where the administrator types again what was typed a second before.",
  },
  {
    what: "Binding an account of another site leads administrators to /setting as elsewhere, and everybody else to /personal/security.",
    reason: "People below administrators have no settings page; they would end on a refusal right after a success.",
  },
  {
    what: "Prices of models, of models without one, and the tables as JSON are sections of the settings' first tab, not tabs inside it.",
    reason:
      "Every setting of a tab is found by scrolling, by its address and by the search; tabs inside tabs hide them.",
  },
  {
    what: "A model's own price is kept and shown in dollars with tiers and tools; name, price, ratio and completionRatio stay the tables' form.",
    reason:
      "One row of four numbers cannot say what long contexts, caches and tools cost; imports and scripts use the tables as they are.",
  },
  {
    what: "The endpoints of an OpenID provider are fetched by a button and then saved, instead of while saving.",
    reason:
      "What is saved was seen before; a provider that is down or lies cannot change where people log in by a save.",
  },
  {
    what: "The footer's own line is left out inside the console, whose sidebar shows the version; an operator's footer stands everywhere.",
    reason: "Tables fill the window there, and a line that says nothing new would take a row from each of them.",
  },
  {
    what: "The status has an empty logo where the operator has set none, and /logo.png is served as the mark.",
    reason:
      "Clients that know the address get the picture; the console draws the mark itself, sharp and in both themes.",
  },
  {
    what: "Amounts below a dollar have four decimals in lists, and six in the log; two everywhere else.",
    reason: "Most calls cost less than a cent and would all read $0.00, as would the channels and users behind them.",
  },
  {
    what: "Enabling a token that has expired or is used up is refused with what to change first.",
    reason: "It would fail with the next call, at a place where nobody sees why; the refusal names the way out.",
  },
  {
    what: "All lists are pages counted from 1 that take page_size up to 100; drawings and tasks without page_size are bare lists counted from 0.",
    reason: "Clients of this API family send them so; a larger page is answered with 100 rows and the total beside it.",
  },
];
