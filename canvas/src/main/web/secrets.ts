/** A secret that nobody guesses, for a form: the same until it was kept, so that whoever copied it copied what is sent. */

const BYTES = 24;
const made = new Map<string, string>();

export function madeUp(form: string): string {
  const known = made.get(form);
  if (known) return known;
  const fresh = [...crypto.getRandomValues(new Uint8Array(BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  made.set(form, fresh);
  return fresh;
}

/** It was kept: the next is another. */
export const usedUp = (form: string): void => void made.delete(form);
