/** Requests to the collector that served this page, and the ways in which they fail. */

const SURVEYS = new URL("../api/surveys/", import.meta.url); // relative, so that a collector may live under any path

/** The collector answered, and the answer was no. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} reason what the collector said
   * @param {number} retryAfter seconds, or 0 if asking again will not help
   */
  constructor(status, reason, retryAfter) {
    super(reason);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** No answer came at all. */
export class Unreachable extends Error {}

/** Return the survey's name, which is the last part of either page's address. */
export function surveyName() {
  return decodeURIComponent(location.pathname.split("/").pop() ?? "");
}

/** Return where the survey is on this host: its name, after the path under which the collector lives, if any. */
export function surveyPlace() {
  return new URL("../", import.meta.url).pathname.slice(1) + surveyName();
}

/**
 * Ask about a survey.
 *
 * @param {string} name the survey's
 * @param {string} path after the survey's name, such as "/range"
 * @param {Record<string, string> | string[][]} [parameters] or pairs, where a name may come more than once
 * @param {string | null} [token] whoever may see the figures; it goes into a header and never into an address
 * @returns {Promise<any>} what came, or null if there is nothing new
 */
export async function ask(name, path, parameters = {}, token = null) {
  const address = new URL(`${name}${path}`, SURVEYS);
  address.search = new URLSearchParams(parameters).toString();
  const response = await sent(address, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  return response.status === 204 ? null : response.json();
}

/**
 * Put a report into a survey. The same one may be put again and again: its id makes it count once.
 *
 * @param {string} name the survey's
 * @param {string} batch 32 hexadecimal digits
 * @param {Uint8Array} bytes
 */
export async function put(name, batch, bytes) {
  const response = await sent(new URL(`${name}/batches/${batch}`, SURVEYS), {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });
  const taken = await response.json().catch(() => null);
  if (taken?.reports !== 1) {
    throw new Unreachable("something other than the collector answered"); // such as a hotel's network, which says 200 to all
  }
}

/**
 * Send a request; fail unless the collector answers, and says yes.
 *
 * @param {URL} address
 * @param {RequestInit} options
 */
export async function sent(address, options) {
  let response;
  try {
    response = await fetch(address, { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", ...options });
  } catch (error) {
    throw new Unreachable("the collector cannot be reached", { cause: error });
  }
  if (!response.ok) {
    throw new Refused(response.status, await reasonOf(response), Number(response.headers.get("retry-after")) || 0);
  }
  return response;
}

async function reasonOf(response) {
  try {
    return (await response.json()).error ?? response.statusText;
  } catch {
    return response.statusText; // something between here and the collector answered instead of it
  }
}
