import type { Box, Layout } from './layout';
import { MOODS, type Mood } from './words';

/**
 * Thousands of agents as dots on one canvas: a colour and a shape for how each is, so that neither is needed alone. All of it is painted
 * when the place of things changes; when agents change, only they are.
 */

/** On the screen; smaller ones are squares of a colour, since nobody sees a shape in them. */
const SHAPE_MIN = 6;
/** Sprites are kept for so many sizes, then all are made anew. */
const SPRITES_MAX = 200;
const LINES_MIN = 6;

const HUES: Record<Mood, string> = { needs: '--needs', failed: '--failed', doubt: '--doubt', working: '--working', idle: '--dot', away: '--line-strong', paused: '--line-strong', asleep: '--line-strong' };
/** What must be seen is painted over its neighbours, and larger. */
const LOUD = new Set<Mood>(['needs', 'failed', 'doubt']);

export interface Look {
  layout: Layout;
  moods: Map<string, Mood>;
  /** Who is searched for; null for everybody. */
  found: Set<string> | null;
  scale: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

export class Dots {
  private before: Look | null = null;
  private painted = new Map<string, Mood>();
  private sprites = new Map<string, HTMLCanvasElement>();
  private colours = new Map<string, string>();
  private ground = new Map<string, number>();

  /** Another theme, or none yet. */
  forget(): void {
    this.before = null;
    this.sprites.clear();
    this.colours.clear();
  }

  paint(canvas: HTMLCanvasElement, look: Look): void {
    const pen = canvas.getContext('2d', { alpha: false }); // nothing is seen through it, so nothing below it is painted
    if (!pen) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const { before } = this;
    const same = before && before.layout === look.layout && before.scale === look.scale && before.x === look.x && before.y === look.y && before.w === look.w && before.h === look.h;
    if (canvas.width !== Math.round(look.w * ratio) || canvas.height !== Math.round(look.h * ratio)) {
      canvas.width = Math.round(look.w * ratio);
      canvas.height = Math.round(look.h * ratio);
      canvas.style.width = `${look.w}px`;
      canvas.style.height = `${look.h}px`;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.before = look;
    if (same && before.moods === look.moods && before.found === look.found) return; // it was only moved
    if (same && before.found === look.found) this.paintChanged(pen, look, ratio);
    else this.paintAll(pen, look, ratio);
  }

  private paintAll(pen: CanvasRenderingContext2D, look: Look, ratio: number): void {
    pen.fillStyle = this.colour('--paper');
    pen.fillRect(0, 0, look.w, look.h);
    this.painted.clear();
    this.ground.clear();
    const loud: Box[] = [];
    for (const box of look.layout.boxes) {
      const x = box.x * look.scale + look.x;
      const y = box.y * look.scale + look.y;
      const w = box.w * look.scale;
      const h = box.h * look.scale;
      if (x > look.w || y > look.h || x + w < 0 || y + h < 0) continue;
      if (box.kind === 'team') {
        pen.fillStyle = this.colour(box.depth % 2 ? '--sheet-2' : '--tint');
        pen.fillRect(x, y, w, h);
        if (w > LINES_MIN) {
          pen.strokeStyle = this.colour('--line');
          pen.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(w) - 1, Math.round(h) - 1);
        }
      }
      this.ground.set(box.id, box.kind === 'team' ? box.depth : box.depth - 1);
      if (LOUD.has(look.moods.get(box.id)!)) loud.push(box);
      else this.paintDot(pen, look, box, ratio);
    }
    for (const box of loud) this.paintDot(pen, look, box, ratio);
  }

  private paintChanged(pen: CanvasRenderingContext2D, look: Look, ratio: number): void {
    for (const box of look.layout.boxes) {
      const was = this.painted.get(box.id);
      if (was === undefined || was === look.moods.get(box.id)) continue;
      const dot = dotOf(box, look);
      const depth = this.ground.get(box.id) ?? -1;
      const r = dot.size * 0.75 + 1; // the loud ones are larger
      pen.fillStyle = this.colour(depth < 0 ? '--paper' : depth % 2 ? '--sheet-2' : '--tint');
      pen.fillRect(dot.x - r, dot.y - r, 2 * r, 2 * r);
      this.paintDot(pen, look, box, ratio);
    }
  }

  private paintDot(pen: CanvasRenderingContext2D, look: Look, box: Box, ratio: number): void {
    const mood = look.moods.get(box.id)!;
    const dim = look.found !== null && !look.found.has(box.id);
    const { x, y, size } = dotOf(box, look);
    this.painted.set(box.id, mood);
    if (dim) pen.globalAlpha = 0.18;
    if (size < SHAPE_MIN) {
      const side = LOUD.has(mood) ? size + 1.5 : size;
      pen.fillStyle = this.colour(HUES[mood]);
      pen.fillRect(x - side / 2, y - side / 2, side, side);
    } else {
      const sprite = this.sprite(mood, size, ratio);
      const side = sprite.width / ratio;
      pen.drawImage(sprite, x - side / 2, y - side / 2, side, side);
    }
    if (dim) pen.globalAlpha = 1;
  }

  private sprite(mood: Mood, size: number, ratio: number): HTMLCanvasElement {
    const step = Math.round(size * 2) / 2;
    const key = `${mood}:${step}:${ratio}`;
    const known = this.sprites.get(key);
    if (known) return known;
    if (this.sprites.size >= SPRITES_MAX) this.sprites.clear();
    const sprite = document.createElement('canvas');
    sprite.width = sprite.height = Math.ceil(step * 1.5 * ratio);
    const pen = sprite.getContext('2d')!;
    pen.scale(ratio, ratio);
    pen.translate(sprite.width / ratio / 2, sprite.height / ratio / 2);
    drawShape(pen, mood, step / 2, this.colour(HUES[mood]));
    this.sprites.set(key, sprite);
    return sprite;
  }

  private colour(name: string): string {
    let known = this.colours.get(name);
    if (known === undefined) {
      // a colour that depends on the theme is known only where it is used
      const probe = document.createElement('i');
      probe.style.color = `var(${name})`;
      document.body.append(probe);
      known = getComputedStyle(probe).color;
      probe.remove();
      this.colours.set(name, known);
    }
    return known;
  }
}

/** Where an agent's dot is on the screen: of who leads a team at the beginning of its head. */
export function dotOf(box: Box, look: { scale: number; x: number; y: number }): { x: number; y: number; size: number } {
  const lead = box.kind === 'team';
  const x = box.x + (lead ? 22 : box.w / 2);
  const y = box.y + (lead ? box.head / 2 : box.h / 2);
  return { x: x * look.scale + look.x, y: y * look.scale + look.y, size: Math.max(1.5, 24 * 0.8 * look.scale) };
}

function drawShape(pen: CanvasRenderingContext2D, mood: Mood, r: number, colour: string): void {
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = Math.max(1, r / 4);
  pen.beginPath();
  if (mood === 'needs') {
    pen.moveTo(0, -r * 1.3);
    pen.lineTo(r * 1.3, r);
    pen.lineTo(-r * 1.3, r);
    pen.closePath();
    pen.fill();
  } else if (mood === 'failed') {
    pen.lineWidth = Math.max(1.5, r / 1.8);
    pen.moveTo(-r, -r);
    pen.lineTo(r, r);
    pen.moveTo(r, -r);
    pen.lineTo(-r, r);
    pen.stroke();
  } else if (mood === 'doubt') {
    pen.moveTo(0, -r * 1.3);
    pen.lineTo(r * 1.3, 0);
    pen.lineTo(0, r * 1.3);
    pen.lineTo(-r * 1.3, 0);
    pen.closePath();
    pen.fill();
  } else if (mood === 'idle' || mood === 'working') {
    pen.arc(0, 0, mood === 'idle' ? r * 0.6 : r, 0, 2 * Math.PI);
    pen.fill();
  } else {
    if (MOODS[mood].glyph === '‖') pen.setLineDash([r / 2, r / 2]);
    pen.arc(0, 0, r - pen.lineWidth / 2, 0, 2 * Math.PI);
    pen.stroke();
  }
}
