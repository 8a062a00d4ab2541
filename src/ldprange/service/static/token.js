/** The token of whoever may see the figures. It comes in the address's fragment, which no browser sends anywhere. */

const KEY = "ldprange:token";

/** @type {string | null} */
let held = null;

/** Take the token out of the address, if it is there, so that it is neither seen, nor bookmarked, nor shared with it. */
export function takeFromAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const token = parameters.get("token");
  if (token === null) {
    return false;
  }
  history.replaceState(history.state, "", location.pathname + location.search);
  keep(token);
  return true;
}

/** Keep a token for as long as the tab is open. */
export function keep(token) {
  held = token.trim();
  try {
    sessionStorage.setItem(KEY, held);
  } catch {
    // storage is switched off: it holds until the page is loaded again
  }
}

/** @returns {string | null} */
export function token() {
  try {
    held ??= sessionStorage.getItem(KEY);
  } catch {
    // as above
  }
  return held;
}

/** Forget a token that is wrong. */
export function forget() {
  held = null;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // as above
  }
}
