/** The target of a login: the console page that the visitor wanted, carried through the login page as `?next=`. Pure but for the page's own origin. */

/** The default target of a password login. */
const DEFAULT_ADDRESS = "/token";

/** Pages that make no sense as the target of a login. */
const ENTRY_PAGES = new Set(["/login", "/register", "/reset", "/user/reset", "/setup", "/secure-account"]);

/** A path of this site, which no browser can read as another host: `//host`, `/\host` and control characters lead away from it. */
const isOwnPath = (wanted: string): boolean => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted);

/**
 * The address to open after a login: `wanted` where it is a page of this site, else the default.
 * @param wanted path, search and hash, as `?next=` carries it: untrusted input, which any link may contain.
 */
export function nextAddress(wanted: string | undefined, origin: string = location.origin): string {
  if (wanted === undefined || !isOwnPath(wanted)) return DEFAULT_ADDRESS;
  const url = URL.parse(wanted, origin);
  // Dots may leave a path that begins with two slashes, which a browser would take for a host.
  if (url === null || url.origin !== origin || url.pathname.startsWith("//")) return DEFAULT_ADDRESS;
  return ENTRY_PAGES.has(url.pathname) ? DEFAULT_ADDRESS : url.pathname + url.search + url.hash;
}

/** What the login page is given of the page that sent the visitor there; nothing where the default leads there anyway. */
export function wantedAddress(address: string): { next?: string } {
  const next = nextAddress(address);
  return next === DEFAULT_ADDRESS ? {} : { next };
}

/** The login page for a user who logged out in another tab, keeping the page that is open. */
export function loginAddress(address: string): string {
  const search = new URLSearchParams(wantedAddress(address)).toString();
  return search === "" ? "/login" : `/login?${search}`;
}

/** The login page for a session that has ended, keeping the page that is open. */
export function expiredLoginAddress(address: string): string {
  return `/login?${new URLSearchParams({ expired: "true", ...wantedAddress(address) }).toString()}`;
}

/** The page where an account does what it has to do first, keeping the page that is open or wanted. */
export const secureAddress = (address: string): string =>
  `/secure-account?${new URLSearchParams(wantedAddress(address))}`;
