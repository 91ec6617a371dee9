import type { Agent } from './model';
import type { Tree } from './organisation';

/**
 * Where everybody stands on the map: teams are boxes packed in rows, agents without a team of their own come before them. The same
 * organisation is laid out the same every time, whatever the window (in a narrow one in the same order, one below the other); nothing here
 * knows pixels of a screen.
 */

export type Detail = 'cards' | 'rows' | 'chips' | 'dots';

export interface Box {
  id: string;
  kind: 'agent' | 'team';
  x: number;
  y: number;
  w: number;
  h: number;
  /** The part of a team that says who leads it. */
  head: number;
  depth: number;
  folded: boolean;
}

/** How things are put: how much of each is drawn, and whether in a window so narrow that all of it stands in one column. */
interface Style {
  detail: Detail;
  narrow: boolean;
}

export interface Layout {
  detail: Detail;
  boxes: Box[];
  w: number;
  h: number;
}

interface Measure {
  w: number;
  h: number;
  head: number;
  gap: number;
  pad: number;
}

export const MEASURES: Record<Detail, Measure> = {
  cards: { w: 248, h: 92, head: 78, gap: 12, pad: 12 },
  rows: { w: 280, h: 34, head: 40, gap: 4, pad: 10 },
  chips: { w: 148, h: 26, head: 30, gap: 4, pad: 8 },
  dots: { w: 24, h: 24, head: 76, gap: 6, pad: 12 },
};

export const TEAM_GAP = 16;
/** Wider than high, as screens are; a few cards rather in one row than in a square. */
const ASPECT = 2;
const CARDS_ASPECT = 4;
/** Of thousands on a phone. */
const NARROW_ASPECT = 0.7;
/** On a phone what is one below the other is read; so many beside each other are as wide as one window. */
const NARROW_COLUMNS: Record<Detail, number> = { cards: 1, rows: 1, chips: 2, dots: 0 };
const ALIKE_MIN = 60;

/** Up to how many agents each is drawn; beyond all of them, dots. */
const DETAILS: [number, Detail][] = [[24, 'cards'], [160, 'rows'], [600, 'chips']];

export const detailFor = (agents: number): Detail => DETAILS.find(([most]) => agents <= most)?.[1] ?? 'dots';

/** Everything measured from its own corner, before its place is known. */
interface Part {
  w: number;
  h: number;
  boxes: Box[];
}

export function layout(tree: Tree, detail: Detail, folded: (agent: Agent) => boolean, narrow = false): Layout {
  const all = arrange(tree, tree.roots, { detail, narrow }, 0, folded);
  return { detail, boxes: all.boxes, w: all.w, h: all.h };
}

function partOf(tree: Tree, agent: Agent, style: Style, depth: number, folded: (agent: Agent) => boolean): Part {
  const measure = MEASURES[style.detail];
  const children = tree.childrenOf.get(agent.id) ?? [];
  const box: Box = { id: agent.id, kind: 'agent', x: 0, y: 0, w: measure.w, h: measure.h, head: 0, depth, folded: false };
  if (!children.length) return { w: measure.w, h: measure.h, boxes: [box] };
  const closed = folded(agent);
  const inside = closed ? { w: 0, h: 0, boxes: [] } : arrange(tree, children, style, depth + 1, folded);
  const w = Math.max(measure.w + 2 * measure.pad, inside.w + 2 * measure.pad);
  const h = measure.head + (closed ? 0 : inside.h + measure.pad);
  const team: Box = { ...box, kind: 'team', w, h, head: measure.head, folded: closed };
  return { w, h, boxes: [team, ...shifted(inside.boxes, measure.pad, measure.head)] };
}

/** Those without a team in a grid, then folded teams, then the open ones in rows. */
function arrange(tree: Tree, agents: Agent[], style: Style, depth: number, folded: (agent: Agent) => boolean): Part {
  const { detail, narrow } = style;
  const measure = MEASURES[detail];
  const parts = agents.map((agent) => partOf(tree, agent, style, depth, folded));
  const alone = parts.filter((part) => part.boxes[0]!.kind === 'agent');
  const closed = parts.filter((part) => part.boxes[0]!.folded);
  const teams = parts.filter((part) => part.boxes[0]!.kind === 'team' && !part.boxes[0]!.folded);
  if (narrow && detail !== 'dots') {
    const wide = NARROW_COLUMNS[detail] * (measure.w + 2 * measure.pad + measure.gap) - measure.gap;
    return [inRows(closed, wide, measure.gap), inRows(teams, 0, TEAM_GAP)].reduce(below, inRows(alone, wide, measure.gap));
  }
  const grid = fitted(alone, measure.gap, detail === 'cards' ? CARDS_ASPECT : ASPECT);
  const open = fitted(teams, TEAM_GAP, narrow && depth === 0 ? NARROW_ASPECT : ASPECT);
  const heads = open.w ? inRows(closed, Math.max(open.w, grid.w), measure.gap) : fitted(closed, measure.gap, ASPECT);
  return [heads, open].reduce(below, grid);
}

function below(above: Part, part: Part): Part {
  const y = above.h && part.h ? above.h + TEAM_GAP : above.h;
  return { w: Math.max(above.w, part.w), h: y + part.h, boxes: [...above.boxes, ...shifted(part.boxes, 0, y)] };
}

/** Of the widths of any neighbours in a row, at most 60 tried, the one that fills a screen of that shape best. */
function fitted(parts: Part[], gap: number, aspect: number): Part {
  if (parts.length > ALIKE_MIN && parts.every((part) => part.w === parts[0]!.w && part.h === parts[0]!.h)) return alike(parts, gap, aspect);
  const widths = new Set<number>();
  for (let i = 0; i < Math.min(parts.length, 40); i++) {
    let width = -gap;
    for (let j = i; j < parts.length; j++) widths.add((width += parts[j]!.w + gap));
  }
  const sorted = [...widths].sort((a, b) => a - b);
  const step = Math.max(1, sorted.length / 60);
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < sorted.length; i += step) {
    const width = sorted[Math.floor(i)]!;
    const size = rowsOf(parts, width, gap, () => {});
    const fills = Math.max(size.w / aspect, size.h);
    if (fills < least - 0.5) [best, least] = [width, fills];
  }
  return inRows(parts, best, gap);
}

/** Many of one size need no search. */
function alike(parts: Part[], gap: number, aspect: number): Part {
  const { w, h } = parts[0]!;
  const columns = Math.max(1, Math.round(Math.sqrt((parts.length * aspect * (h + gap)) / (w + gap))));
  return inRows(parts, columns * (w + gap) - gap, gap);
}

function inRows(parts: Part[], width: number, gap: number): Part {
  const boxes: Box[] = [];
  const size = rowsOf(parts, width, gap, (part, x, y) => {
    for (const box of shifted(part.boxes, x, y)) boxes.push(box);
  });
  return { ...size, boxes };
}

/** From left to right while they fit, then the next row. */
function rowsOf(parts: Part[], width: number, gap: number, put: (part: Part, x: number, y: number) => void): { w: number; h: number } {
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  let w = 0;
  for (const part of parts) {
    if (x > 0 && x + part.w > width + 0.5) {
      x = 0;
      y += rowHeight + gap;
      rowHeight = 0;
    }
    put(part, x, y);
    w = Math.max(w, x + part.w);
    rowHeight = Math.max(rowHeight, part.h);
    x += part.w + gap;
  }
  return { w, h: parts.length ? y + rowHeight : 0 };
}

/** Boxes belong to one part, so they are moved, not copied. */
function shifted(boxes: Box[], dx: number, dy: number): Box[] {
  for (const box of boxes) {
    box.x += dx;
    box.y += dy;
  }
  return boxes;
}

/** The innermost open team at a point, not counting some; null outside of all. */
export function teamAt(boxes: Box[], x: number, y: number, except: Set<string>): Box | null {
  let found: Box | null = null;
  for (const box of boxes) {
    const inside = x >= box.x && y >= box.y && x <= box.x + box.w && y <= box.y + box.h;
    if (box.kind === 'team' && inside && !except.has(box.id) && (!found || box.depth > found.depth)) found = box;
  }
  return found;
}

/** Before which sibling something dropped there belongs; the number of siblings when behind all. */
export function slotAt(siblings: Box[], x: number, y: number): number {
  const before = siblings.findIndex((box) => y < box.y || (y <= box.y + box.h && x < box.x + box.w / 2));
  return before < 0 ? siblings.length : before;
}
