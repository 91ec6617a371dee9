import type { PieceOfWork, Task } from './work';

/** A piece of work as bars over time: who was at what, under whom, since when. Pure, so that a test can say what follows from what. */

export interface Bar {
  task: Task;
  depth: number;
  /** From 0 to 1 of the width. */
  from: number;
  to: number;
}

export interface Fold {
  at: number;
  millis: number;
}

export interface Waterfall {
  bars: Bar[];
  /** Where time in which nothing began or ended was folded. */
  folds: Fold[];
  begin: number;
  end: number;
  /** Where a moment is, from 0 to 1. */
  place: (at: number) => number;
}

/** A wait longer than this, and than a fifth of all, is drawn as short as that. */
const FOLD_MILLIS = 30_000;

export function waterfallOf(piece: Pick<PieceOfWork, 'tree' | 'created_at' | 'ended_at'>, now: number): Waterfall {
  const begin = Date.parse(piece.created_at);
  const end = Math.max(begin + 1, piece.ended_at ? Date.parse(piece.ended_at) : now, ...piece.tree.map((task) => (task.ended_at ? Date.parse(task.ended_at) : 0)));
  const clamp = (at: number) => Math.min(end, Math.max(begin, at));
  const moments = [...new Set([begin, end, ...piece.tree.flatMap((task) => [clamp(Date.parse(task.started_at)), task.ended_at ? clamp(Date.parse(task.ended_at)) : end])])].sort((a, b) => a - b);
  const longest = Math.max(FOLD_MILLIS, (end - begin) / 5);
  const folds: { from: number; millis: number; drawn: number }[] = [];
  const knots: { at: number; drawn: number }[] = [{ at: begin, drawn: 0 }];
  let drawn = 0;
  for (let i = 1; i < moments.length; i++) {
    const millis = moments[i]! - moments[i - 1]!;
    const short = millis > longest && moments.length > 2 ? FOLD_MILLIS : millis;
    if (short < millis) folds.push({ from: drawn, millis, drawn: short });
    drawn += short;
    knots.push({ at: moments[i]!, drawn });
  }
  const all = Math.max(1, drawn);
  const place = (at: number) => {
    const inside = clamp(at);
    const i = Math.max(1, knots.findIndex((knot) => knot.at >= inside));
    const [a, b] = [knots[i - 1]!, knots[i] ?? knots[i - 1]!];
    return (a.drawn + (b.at === a.at ? 0 : ((inside - a.at) / (b.at - a.at)) * (b.drawn - a.drawn))) / all;
  };
  return {
    bars: inOrder(piece.tree).map(({ task, depth }) => ({ task, depth, from: place(Date.parse(task.started_at)), to: place(task.ended_at ? Date.parse(task.ended_at) : end) })),
    folds: folds.map((fold) => ({ at: (fold.from + fold.drawn / 2) / all, millis: fold.millis })),
    begin,
    end,
    place,
  };
}

/** Each below what it was begun for; what names something that is not there, or itself, stands at the edge. */
export function inOrder(tree: Task[]): { task: Task; depth: number }[] {
  const ids = new Set(tree.map((task) => task.id));
  const below = new Map<string, Task[]>();
  const roots: Task[] = [];
  for (const task of tree) {
    if (task.parent_id === null || task.parent_id === task.id || !ids.has(task.parent_id)) roots.push(task);
    else below.set(task.parent_id, [...(below.get(task.parent_id) ?? []), task]);
  }
  const rows: { task: Task; depth: number }[] = [];
  const seen = new Set<string>();
  const walk = (task: Task, depth: number) => {
    if (seen.has(task.id)) return;
    seen.add(task.id);
    rows.push({ task, depth });
    below.get(task.id)?.forEach((one) => walk(one, Math.min(depth + 1, 8)));
  };
  roots.forEach((task) => walk(task, 0));
  tree.forEach((task) => walk(task, 0)); // a circle, which the platform does not make
  return rows;
}

/** How many took part, how many messages there were. */
export function sumsOf(piece: Pick<PieceOfWork, 'tree' | 'words'>): { agents: number; messages: number } {
  return { agents: new Set(piece.tree.map((task) => task.target_id)).size, messages: piece.words.length };
}
