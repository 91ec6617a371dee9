import { dotOf, type Look } from './dots';
import type { Box } from './layout';
import type { Mood } from './words';

/** Which of thousands of agents have their names beside their dots: pure, so that a test can say who. */

export const LABELS_MAX = 120;
/** On the screen: a head that is lower, or a team that is narrower, has no room for words. */
const HEAD_MIN = 11;
const TEAM_MIN = 44;
/** A dot's place from which on its name stands under it. */
const NAME_MIN = 76;
const LOUD_MAX = 24;
const NOTE_MAX = 160;
/** About, of the small type. */
const LETTER = 6.6;
const BOLD_LETTER = 7.8;
const NOTE_EDGES = 30;
const LABEL_HEIGHT = 20;

export interface Label {
  id: string;
  kind: 'head' | 'name' | 'note';
  /** In pixels of the screen, from where the map begins. */
  x: number;
  y: number;
  w: number;
}

interface Area {
  x: number;
  y: number;
  w: number;
}

/**
 * @param lettersOf how long the name of an agent is
 * @param always who is labelled whatever there is room for: chosen, pointed at, reached by keyboard
 */
export function labelsOf(look: Look, lettersOf: (id: string) => number, always: string[]): Label[] {
  const labels = new Map<string, Label>();
  const taken: Area[] = [];
  const put = (label: Label): void => {
    if (labels.has(label.id) || labels.size >= LABELS_MAX) return;
    labels.set(label.id, label);
    taken.push(label);
  };
  const boxes = look.layout.boxes.filter((box) => seen(box, look));
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const free = (label: Label): boolean => !taken.some((other) => meets(other, label));
  for (const id of always) if (byId.has(id)) put(noted(byId.get(id)!, look, lettersOf(id)));
  const loud = boxes.filter((box) => URGENCY[look.moods.get(box.id)!] !== undefined).sort((a, b) => URGENCY[look.moods.get(a.id)!]! - URGENCY[look.moods.get(b.id)!]!);
  for (const box of loud) {
    if (labels.size >= LOUD_MAX) break;
    const label = noted(box, look, lettersOf(box.id));
    if (free(label)) put(label);
  }
  const heads = boxes.filter((box) => box.kind === 'team' && box.head * look.scale >= HEAD_MIN && box.w * look.scale >= TEAM_MIN);
  heads.sort((a, b) => b.w * b.h - a.w * a.h || (a.id < b.id ? -1 : 1)); // the largest say most
  for (const box of heads) {
    const label = headOf(box, look);
    if (free(label)) put(label);
  }
  if (24 * look.scale >= NAME_MIN) for (const box of boxes) if (box.kind === 'agent') put(nameOf(box, look));
  return [...labels.values()];
}

const URGENCY: Partial<Record<Mood, number>> = { needs: 0, failed: 1, doubt: 2 };

function seen(box: Box, look: Look): boolean {
  const x = box.x * look.scale + look.x;
  const y = box.y * look.scale + look.y;
  return x < look.w && y < look.h && x + box.w * look.scale > 0 && y + box.h * look.scale > 0;
}

/** In the head, beside the dot of who leads. */
function headOf(box: Box, look: Look): Label {
  const dot = dotOf(box, look);
  const x = dot.x + dot.size / 2 + 3;
  return { id: box.id, kind: 'head', x, y: dot.y - LABEL_HEIGHT / 2, w: Math.max(24, box.w * look.scale - (x - box.x * look.scale - look.x) - 4) };
}

function nameOf(box: Box, look: Look): Label {
  const dot = dotOf(box, look);
  return { id: box.id, kind: 'name', x: dot.x - (12 + 2) * look.scale, y: dot.y + dot.size / 2 - 2, w: 28 * look.scale };
}

/** To the right of the dot; where the map ends, to its left. */
function noted(box: Box, look: Look, letters: number): Label {
  const dot = dotOf(box, look);
  const w = Math.min(NOTE_MAX, NOTE_EDGES + letters * LETTER);
  const right = dot.x + dot.size / 2 + 4;
  const x = right + w > look.w ? dot.x - dot.size / 2 - 4 - w : right;
  return { id: box.id, kind: 'note', x, y: dot.y - LABEL_HEIGHT / 2, w };
}

/** A name as wide as a label: teams that are numbered differ at their ends, so the middle is left out. */
export function fittedName(name: string, width: number): string {
  const letters = [...name];
  const most = Math.max(4, Math.floor(width / BOLD_LETTER));
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join('').trimEnd()}…${letters.slice(-end).join('').trimStart()}`;
}

const meets = (a: Area, b: Area): boolean => a.x < b.x + b.w && b.x < a.x + a.w && Math.abs(a.y - b.y) < LABEL_HEIGHT;
