import { Lanes, type Point } from '../../main/web/lanes';
import { MEASURES, detailFor, layout, type Box, type Layout } from '../../main/web/layout';
import { nobody, type Workspace } from '../../main/web/model';
import { replaceAgents, treeOf } from '../../main/web/organisation';
import { same, test } from './harness';

/** The ways of what is said, and the map of a narrow window. */

/** Teams of several depths, so many agents in all; the same ones every time. */
function organisation(agents: number, teamOf: (i: number) => number | null) {
  const org = nobody();
  replaceAgents(org, Array.from({ length: agents }, (_, i): Workspace => {
    const team = teamOf(i);
    return {
      id: `a${i}`, name: `a${i}`, role: null, tier: 1, status: 'online', parent_id: team === null ? null : `a${team}`, active_tasks: 0, runtime: 'echo', x: 0, y: 0,
      collapsed: false, current_task: '', last_sample_error: '', monthly_spend: 0, budget_limit: null,
    };
  }));
  return org;
}

/** Of each kind of map: deep and flat teams, alone and together, open and folded. */
const SHAPES: [string, number, (i: number) => number | null][] = [
  ['three', 3, (i) => (i ? 0 : null)],
  ['a chain', 9, (i) => (i ? i - 1 : null)],
  ['three levels', 22, (i) => (i === 0 ? null : i < 4 ? 0 : i < 10 ? 1 + (i % 3) : 4 + (i % 5))],
  ['nobody leads', 18, () => null],
  ['sixty', 60, (i) => (i % 12 === 0 ? null : i - (i % 12))],
  ['a hundred', 130, (i) => (i === 0 ? null : i < 6 ? 0 : i < 30 ? 1 + (i % 5) : 6 + (i % 24))],
  ['five hundred', 500, (i) => (i % 25 === 0 ? null : i - (i % 25))],
  ['a thousand', 1000, (i) => (i % 50 === 0 ? null : i - (i % 50))],
];

const EASE = 0.5;

/** What a box says, as far as nobody may draw there. */
function wordsOf(drawn: Layout, box: Box): { x: number; y: number; w: number; h: number } {
  const { pad } = MEASURES[drawn.detail];
  if (box.kind === 'agent') return { x: box.x + EASE, y: box.y + EASE, w: box.w - 2 * EASE, h: box.h - 2 * EASE };
  const left = drawn.detail === 'cards' ? 28 : pad / 2 + EASE; // beside its glyph, or with it
  return { x: box.x + left, y: box.y + EASE, w: box.w - left - EASE, h: box.head - 5 };
}

function crosses(a: Point, b: Point, area: { x: number; y: number; w: number; h: number }): boolean {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  return right > area.x && left < area.x + area.w && bottom > area.y && top < area.y + area.h;
}

for (const [name, agents, teamOf] of SHAPES) {
  for (const narrow of [false, true]) {
    test(`of ${name}${narrow ? ', on a phone,' : ''} no way of what is said crosses words`, () => {
      const org = organisation(agents, teamOf);
      const drawn = layout(treeOf(org.agents), detailFor(agents), (one) => Number(one.id.slice(1)) % 75 === 50, narrow);
      const lanes = new Lanes(drawn, (id) => org.agents.get(id)?.parent_id ?? null);
      const crossed: string[] = [];
      for (let i = 0; i < 400; i++) {
        const from = drawn.boxes[(i * 7) % drawn.boxes.length]!;
        const to = drawn.boxes[(i * 31 + 5) % drawn.boxes.length]!;
        if (from === to) continue;
        const way = lanes.between(from, to);
        for (let n = 1; n < way.length; n++) {
          const [a, b] = [way[n - 1]!, way[n]!];
          if (a.x !== b.x && a.y !== b.y) crossed.push(`${from.id}>${to.id} is aslant`);
          for (const box of drawn.boxes) if (crosses(a, b, wordsOf(drawn, box))) crossed.push(`${from.id}>${to.id} over ${box.id}`);
        }
      }
      same(crossed.slice(0, 5), []);
    });
  }
}

test('a way begins at who speaks and ends at who is spoken to', () => {
  const org = organisation(22, SHAPES[2]![2]);
  const drawn = layout(treeOf(org.agents), 'cards', () => false);
  const lanes = new Lanes(drawn, (id) => org.agents.get(id)?.parent_id ?? null);
  const [from, to] = [lanes.find('a12')!, lanes.find('a2')!];
  const way = lanes.between(from, to);
  same([way[0]!.y, way.at(-1)!.y, way[0]!.x > from.x && way[0]!.x < from.x + from.w], [from.y, to.y, true]);
});

test('what a leader says to those below stays in its team', () => {
  const org = organisation(22, SHAPES[2]![2]);
  const drawn = layout(treeOf(org.agents), 'cards', () => false);
  const lanes = new Lanes(drawn, (id) => org.agents.get(id)?.parent_id ?? null);
  const team = lanes.find('a0')!;
  const outside = drawn.boxes.filter((box) => box !== team).flatMap((box) => [...lanes.between(team, box), ...lanes.between(box, team)])
    .filter(({ x, y }) => x <= team.x || y <= team.y || x >= team.x + team.w || y >= team.y + team.h);
  same(outside, []);
});

test('in a narrow window nobody stands beside another, and the order is the same', () => {
  const org = organisation(22, SHAPES[2]![2]);
  const tree = treeOf(org.agents);
  const wide = layout(tree, 'cards', () => false);
  const narrow = layout(tree, 'cards', () => false, true);
  const deepest = Math.max(...narrow.boxes.map((box) => box.depth));
  const { w, pad } = MEASURES.cards;
  same([narrow.w <= w + 2 * pad * deepest, narrow.boxes.map((box) => box.id)], [true, wide.boxes.map((box) => box.id)]);
});
