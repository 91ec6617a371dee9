/** What every file of tests needs: a sentence and its body, and whether two things are the same. */

export const tests: [string, () => void | Promise<void>][] = [];

export const test = (name: string, body: () => void | Promise<void>): number => tests.push([name, body]);

export function same(actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b} but was ${a}`);
}
