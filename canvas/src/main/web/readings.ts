import { call, says } from './api';
import { store } from './store';

/** What was read of the platform for a tab, once per path until it is forgotten; an element may ask at every drawing. */

const KEPT_MAX = 100;

export interface Reading<T> {
  value: T | null;
  /** Why there is none: it is being read, or what the platform said. */
  note: string;
}

const kept = new Map<string, Reading<unknown>>();

export function read<T>(path: string): Reading<T> {
  const known = kept.get(path) as Reading<T> | undefined;
  if (known) return known;
  const fresh: Reading<T> = { value: null, note: 'Reading…' };
  kept.set(path, fresh);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  call<T>('GET', path)
    .then(
      (value) => Object.assign(fresh, { value, note: '' }),
      (failure: unknown) => Object.assign(fresh, { note: says(failure) }),
    )
    .finally(() => store.changed());
  return fresh;
}

/** The next drawing reads anew whatever begins so. */
export function forget(path: string): void {
  for (const known of [...kept.keys()]) if (known.startsWith(path)) kept.delete(known);
  store.changed();
}
