import { noChange } from 'lit';
import { Directive, PartType, directive, type ChildPart, type DirectiveResult, type PartInfo } from 'lit/directive.js';
import { getCommittedValue, insertPart, removePart, setChildPartValue, setCommittedValue } from 'lit/directive-helpers.js';

/**
 * Draws a row for each thing, and keeps the row of a thing whose key it had before. In place of Lit's own directive of that name, which in
 * 3.3.3 leaves a comment in the page for every row that goes: a page that is open all day would hold thousands of them.
 */
class Repeat extends Directive {
  private keys: unknown[] = [];

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.CHILD) throw new Error('repeat() belongs between elements');
  }

  override render<T>(things: Iterable<T>, _keyOf: (thing: T) => unknown, draw: (thing: T) => unknown): unknown[] {
    return [...things].map(draw);
  }

  override update<T>(container: ChildPart, [things, keyOf, draw]: [Iterable<T>, (thing: T) => unknown, (thing: T) => unknown]): unknown {
    const list = [...things];
    const keys = list.map(keyOf);
    const before = getCommittedValue(container) as unknown;
    const known = Array.isArray(before) && before.length === this.keys.length ? this.rowsByKey(before as ChildPart[], new Set(keys)) : null;
    this.keys = keys;
    if (!known) return list.map(draw); // the first drawing, or one over something else
    const rows: ChildPart[] = [];
    let next: ChildPart | undefined;
    for (let i = list.length - 1; i >= 0; i--) {
      const row = insertPart(container, next, known.get(keys[i])); // stays where it is when that is right
      known.delete(keys[i]);
      rows[i] = next = setChildPartValue(row, draw(list[i]!));
    }
    setCommittedValue(container, rows);
    return noChange;
  }

  /** Those that stay; the others are taken out. */
  private rowsByKey(rows: ChildPart[], kept: Set<unknown>): Map<unknown, ChildPart> {
    const known = new Map<unknown, ChildPart>();
    rows.forEach((row, i) => {
      const key = this.keys[i];
      if (kept.has(key) && !known.has(key)) known.set(key, row);
      else takeOut(row);
    });
    return known;
  }
}

function takeOut(row: ChildPart): void {
  const end = row.endNode;
  removePart(row);
  end?.parentNode?.removeChild(end);
}

/** @param draw what a row looks like; of two things with one key only the order is kept */
export const repeat = directive(Repeat) as <T>(things: Iterable<T>, keyOf: (thing: T) => unknown, draw: (thing: T) => unknown) => DirectiveResult<typeof Repeat>;
