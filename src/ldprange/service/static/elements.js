/** Making and finding elements. */

/**
 * Make an element.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children);
  return element;
}

/** Return the element of this id, which the page has. */
export function the(id) {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`the page must have an element ${id}`);
  }
  return element;
}

/** Make the line in which a problem is told, next to what has it, and announced. */
export function messageLine(id) {
  return make("p", { id: `${id}-message`, class: "message problem small", "aria-live": "polite" });
}
