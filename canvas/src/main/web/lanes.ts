import { MEASURES, TEAM_GAP, type Box, type Layout } from './layout';

/**
 * The way from one box of the map to another beside everybody's words: through the gaps between boxes, never over one. It leaves a box
 * at its top, follows the gap above its row, goes up or down where no neighbour is or else at the left edge of the team, and out of a team
 * through the edge of its head, left of what is written there.
 */

export interface Point {
  x: number;
  y: number;
}

/** From the left edge of a box to where lines meet it: the middle of its glyph. */
const ANCHOR = 19;
/** Under the glyph of a head that has words beside it in three lines; in lower ones there is room under the words only. */
const UNDER_GLYPH = 32;
/** Under the words of a head, above the first row. */
const UNDER_HEAD = 3;
const CORNER = 6;

export class Lanes {
  private readonly boxes: Map<string, Box>;
  private readonly inside = new Map<string | null, Box[]>();
  private readonly known = new Map<string, Point[]>();

  /** @param leaderOf under whom an agent is; null is nobody */
  constructor(private readonly layout: Layout, private readonly leaderOf: (id: string) => string | null) {
    this.boxes = new Map(layout.boxes.map((box) => [box.id, box]));
    for (const box of layout.boxes) {
      const team = this.teamOf(box)?.id ?? null;
      const others = this.inside.get(team);
      if (others) others.push(box);
      else this.inside.set(team, [box]);
    }
  }

  find(id: string): Box | undefined {
    return this.boxes.get(id);
  }

  /** Corners of the way, from the one to the other. */
  between(from: Box, to: Box): Point[] {
    const key = `${from.id}>${to.id}`;
    let way = this.known.get(key);
    if (!way) this.known.set(key, (way = this.route(from, to)));
    return way;
  }

  private route(from: Box, to: Box): Point[] {
    const above = new Set<Box>();
    for (let box: Box | null = from; box; box = this.teamOf(box)) above.add(box);
    let meet: Box | null = to;
    while (meet && !above.has(meet)) meet = this.teamOf(meet);
    const there = this.climb(from, meet);
    const back = this.climb(to, meet);
    const [a, b] = [there.points.at(-1)!, back.points.at(-1)!];
    const lane = a.y === b.y ? [] : this.lane(there.box, back.box, meet, a, b);
    return straightened([...there.points, ...lane, ...back.points.reverse()]);
  }

  /** From the top of a box up to the gap above that box of `team` it is in (null where it is the team itself), or from its glyph down to under its head. */
  private climb(start: Box, team: Box | null): { points: Point[]; box: Box | null } {
    if (start === team) {
      const [x, end] = [start.x + ANCHOR, start.y + start.head - UNDER_HEAD];
      return { points: [{ x, y: this.layout.detail === 'cards' ? start.y + UNDER_GLYPH : end }, { x, y: end }], box: null };
    }
    let box = start;
    let x = start.x + ANCHOR;
    const points: Point[] = [{ x, y: start.y }];
    for (;;) {
      const around = this.teamOf(box);
      const y = this.gapAbove(box, around);
      points.push({ x, y });
      if (around === team || !around) return { points, box };
      x = around.x + MEASURES[this.layout.detail].pad / 2;
      points.push({ x, y });
      box = around;
    }
  }

  /** Up or down between two rows: the shortest that nobody stands in, beside one of the two boxes or along the edge of the team. */
  private lane(one: Box | null, other: Box | null, team: Box | null, a: Point, b: Point): Point[] {
    const half = MEASURES[this.layout.detail].gap / 2;
    const edge = (team?.x ?? 0) + (team ? 1 : -1) * (MEASURES[this.layout.detail].pad / 2);
    const beside = [other, one].flatMap((box) => (box ? [box.x - half, box.x + box.w + half] : []));
    const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
    const others = this.inside.get(team?.id ?? null) ?? [];
    const free = (x: number): boolean => !others.some((box) => x > box.x - 1 && x < box.x + box.w + 1 && bottom > box.y && top < box.y + box.h);
    const long = (x: number): number => Math.abs(x - a.x) + Math.abs(x - b.x);
    const x = [b.x, a.x, ...beside].filter(free).reduce((best, one) => (long(one) < long(best) ? one : best), edge);
    return [{ x, y: a.y }, { x, y: b.y }];
  }

  private gapAbove(box: Box, team: Box | null): number {
    const first = team && box.y - team.y - team.head < 1;
    return box.y - (first ? UNDER_HEAD : Math.min(MEASURES[this.layout.detail].gap, TEAM_GAP) / 2);
  }

  /** Who is drawn around it. A circle of leaders, which is cut, is none. */
  private teamOf(box: Box): Box | null {
    const team = this.boxes.get(this.leaderOf(box.id) ?? '');
    return team && team.depth === box.depth - 1 ? team : null;
  }
}

/** Without what lies between two corners of one line. */
function straightened(points: Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const [before, last] = [kept.at(-2), kept.at(-1)];
    if (last && last.x === point.x && last.y === point.y) continue;
    if (before && last && ((before.x === last.x && last.x === point.x) || (before.y === last.y && last.y === point.y))) kept.pop();
    kept.push(point);
  }
  return kept;
}

/** As SVG draws it, with its corners rounded. */
export function pathOf(points: Point[]): string {
  return points
    .map((point, i) => {
      const [before, after] = [points[i - 1], points[i + 1]];
      if (!before) return `M${point.x} ${point.y}`;
      if (!after) return `L${point.x} ${point.y}`;
      const [into, out] = [towards(point, before), towards(point, after)];
      return `L${into.x} ${into.y}Q${point.x} ${point.y} ${out.x} ${out.y}`;
    })
    .join('');
}

function towards(corner: Point, other: Point): Point {
  const far = Math.abs(other.x - corner.x) + Math.abs(other.y - corner.y);
  const part = Math.min(CORNER, far / 2) / far;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
