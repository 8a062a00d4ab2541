/** Which attributes of a survey are shown: the address says so, and two menus change it. */

import { make, the } from "./elements.js";

const ALONE = "";

/** Return the attributes about which a plan asks together with one. */
function togetherWith({ domain, decomposition }, name) {
  const at = domain.names.indexOf(name);
  return domain.names.filter((_, other) => other !== at && decomposition.depths.some((deep) => deep[at] > 0 && deep[other] > 0));
}

/**
 * Return one attribute or two, as the address has them; the first two that go together if it says nothing.
 *
 * @param {any} plan
 * @param {string} search of the address
 * @returns {string[]}
 */
export function chosenAttributes(plan, search) {
  const { names } = plan.domain;
  const asked = new URLSearchParams(search).getAll("attribute").filter((name) => names.includes(name));
  if (asked.length === 0) {
    return [names[0], ...togetherWith(plan, names[0]).slice(0, 1)];
  }
  const [first, second] = asked;
  return togetherWith(plan, first).includes(second) ? [first, second] : [first];
}

/** Show the menus; choosing goes to the address of what was chosen, so that it can be kept and shared. */
export function showMenus(plan, [first, second]) {
  const menus = [
    [the("first-attribute"), first, plan.domain.names.map((name) => [name, name])],
    [the("second-attribute"), second ?? ALONE, [[ALONE, "– alone –"], ...togetherWith(plan, first).map((name) => [name, name])]],
  ];
  for (const [menu, chosen, options] of menus) {
    menu.replaceChildren(...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
    menu.addEventListener("change", () => {
      const wanted = menus.map(([{ value }]) => value).filter((name) => name !== ALONE);
      const different = wanted.filter((name, at) => wanted.indexOf(name) === at);
      location.search = new URLSearchParams(different.map((name) => ["attribute", name])).toString();
    });
  }
  the("attributes").hidden = false;
}
