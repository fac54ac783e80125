/** The nonce that allows this page to add styles. */

/** The nonce the server put into the page, for the style element Mantine writes. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
}
