import { html, render } from 'lit';
import { repeat } from '../../main/web/repeat';
import { same, test } from './harness';

/** Rows that come, go and change places. */

const drawn = (keys: string[], into: HTMLElement): void => void render(html`<ul>${repeat(keys, (key) => key, (key) => html`<li id=${key}>${key}</li>`)}</ul>`, into);
const order = (of: HTMLElement): string => [...of.querySelectorAll('li')].map((row) => row.id).join('');

test('a thousand rows that went leave nothing in the page', () => {
  const page = document.createElement('div');
  drawn(['a', 'b'], page);
  const before = page.firstElementChild!.childNodes.length;
  for (let i = 0; i < 500; i++) drawn([`x${i}`, 'a', `y${i}`, 'b'], page);
  drawn(['a', 'b'], page);
  same([order(page), page.firstElementChild!.childNodes.length], ['ab', before]);
  drawn([], page);
  drawn(['c'], page);
  same(order(page), 'c');
});

test('whatever the order, a row stays the element of its thing', () => {
  const page = document.createElement('div');
  let seed = 7;
  const next = (most: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  let keys: string[] = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (let i = 0; i < 300; i++) {
    drawn(keys, page);
    const elements = new Map([...page.querySelectorAll('li')].map((row) => [row.id, row]));
    const after = keys.filter(() => next(4) > 0);
    for (let n = next(3); n > 0; n--) after.splice(next(after.length + 1), 0, `n${i}${n}`);
    if (after.length > 1) after.splice(next(after.length), 0, ...after.splice(next(after.length), 1));
    drawn(after, page);
    const others = [...page.querySelectorAll('li')].filter((row) => elements.has(row.id) && elements.get(row.id) !== row);
    same([order(page), others.length], [after.join(''), 0]);
    keys = after.slice(0, 12);
  }
});

test('who has the focus keeps it while others come and go before it', () => {
  const page = document.body.appendChild(document.createElement('div'));
  const buttons = (keys: string[]): void => void render(html`${repeat(keys, (key) => key, (key) => html`<button id=${key}></button>`)}`, page);
  buttons(['a', 'b', 'c']);
  page.querySelector<HTMLElement>('#b')!.focus();
  buttons(['n', 'a', 'b', 'c', 'm']);
  buttons(['b', 'm']);
  same(document.activeElement?.id, 'b');
  page.remove();
});

test('two things of one key are both drawn', () => {
  const page = document.createElement('div');
  for (const keys of [['a', 'a', 'b'], ['b', 'a', 'a'], ['a']]) {
    drawn(keys, page);
    same(order(page), keys.join(''));
  }
});
