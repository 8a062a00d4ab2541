/** What an administrator tells the collector that served this page. */

import { sent } from "./requests.js";
import { token } from "./token.js";

const INTERFACE = new URL("../api/", import.meta.url);

/**
 * @param {string} method
 * @param {string} path after "/api/"
 * @param {object} [said]
 * @returns {Promise<any>} what came, or null if there is nothing to say
 */
export async function tell(method, path, said) {
  const headers = { authorization: `Bearer ${token()}`, ...(said ? { "content-type": "application/json" } : {}) };
  const response = await sent(new URL(path, INTERFACE), { method, headers, ...(said ? { body: JSON.stringify(said) } : {}) });
  return response.status === 204 ? null : response.json();
}
