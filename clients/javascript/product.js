/** Several attributes of one person, each with a domain of its own. */

import { isObject, shortened, shown } from "./checking.js";
import { DomainError, reworded } from "./errors.js";

const TAKEN = ["confidence", "given"]; // questions name the attributes, and these words besides

/**
 * Make a product of domains: `names` and `axes`, in the order that the plan has them.
 *
 * A value is an object with a value for each attribute, by name; its index is a list with a bin for each.
 */
export function product({ names, axes }, domainOf) {
  if (!Array.isArray(names) || !Array.isArray(axes) || names.length < 2 || names.length !== axes.length) {
    throw new DomainError(`a product must have two attributes or more, each with a domain, got ${shown(names)}`);
  }
  for (const name of names) {
    if (typeof name !== "string" || name === "" || TAKEN.includes(name) || /[\0\p{Surrogate}]/u.test(name)) {
      throw new DomainError(`an attribute's name must be a text other than ${TAKEN.join(" and ")}, got ${shown(name)}`);
    }
  }
  if (new Set(names).size !== names.length) {
    throw new DomainError(`attributes must have names of their own, got ${shown(names)}`);
  }
  const domains = axes.map((axis, at) => {
    if (isObject(axis) && axis.kind === "product") {
      throw new DomainError(`${shortened(names[at])} must have a domain such as one of kind integers, got one of kind ${axis.kind}`);
    }
    const domain = about(names[at], () => domainOf(axis));
    const answers = domain.kind === "no_answer" ? domain.inside : domain;
    if (answers.bins < 2) {
      throw new DomainError(`${shortened(names[at])} must have two bins or more, got ${answers.bins}`);
    }
    return domain;
  });
  const index = (value) => {
    const count = isObject(value) ? Object.keys(value).length : 0;
    if (count !== kept.length || !kept.every((name) => Object.hasOwn(value, name))) {
      throw new DomainError(`the value must be an object with the attributes ${shown(kept)}, got ${shown(value)}`);
    }
    return kept.map((name, at) => about(name, () => domains[at].index(value[name])));
  };
  const kept = Object.freeze([...names]);
  const bins = domains.reduce((total, domain) => total * domain.bins, 1);
  const label = (place) => kept.map((name, at) => `${name}: ${domains[at].label(place[at])}`).join(", ");
  return { bins, names: kept, axes: Object.freeze(domains), index, label };
}

/** Say of an error which attribute has it. */
function about(name, work) {
  return reworded(work, (message) => `${shortened(name)}: ${message}`);
}
