/** Texts in lines of so many letters. */

/** Return a text in lines; a word that is longer than a line has one of its own. */
export function wrapped(text, letters) {
  return text.split(" ").filter(Boolean).reduce((lines, word) => {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    return longer.length <= letters || lines.length === 0 ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, /** @type {string[]} */ ([]));
}

/** Return a text in at most so many lines, with … where there is no room for the rest. */
export function fitted(text, letters, most) {
  const lines = wrapped(text, letters);
  const kept = lines.length > most ? [...lines.slice(0, most - 1), lines.slice(most - 1).join(" ")] : lines;
  return kept.map((line) => (line.length > letters ? `${line.slice(0, letters - 1)}…` : line));
}
