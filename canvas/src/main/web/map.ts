import { html, nothing, svg, type TemplateResult } from 'lit';
import { Directive, PartType, directive, type ElementPart, type PartInfo } from 'lit/directive.js';
import { fold, place } from './actions';
import { census, foundNow, isUncounted } from './census';
import { Dots, dotOf, type Look } from './dots';
import { NAME_MAX, factsOf, spoken } from './facts';
import { fittedName, labelsOf, type Label } from './labels';
import { Lanes, pathOf } from './lanes';
import { detailFor, layout, slotAt, teamAt, type Box, type Layout } from './layout';
import './map.css';
import type { Agent } from './model';
import { MovePreview } from './moves';
import { branchOf, type Tree } from './organisation';
import { repeat } from './repeat';
import { mayAct } from './rights';
import { see } from './sight';
import { store } from './store';
import { Part, look, view } from './view';
import { dollars } from './words';

/** Puts an element at a place of the map through its style object: an attribute would be refused by the page's policy. */
class At extends Directive {
  private last = '';

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('at() belongs to an element');
  }

  override update(part: ElementPart, [x, y, w, h]: [number, number, number, number]): void {
    const place = `${x},${y},${w},${h}`;
    if (place === this.last) return;
    this.last = place;
    const style = (part.element as HTMLElement).style;
    style.transform = `translate(${x}px, ${y}px)`;
    style.width = `${w}px`;
    style.height = `${h}px`;
  }

  override render(..._place: [number, number, number, number]): void {}
}
const at = directive(At);

interface Drag {
  id: string;
  from: { x: number; y: number };
  moved: boolean;
  /** Under whom it would be; null is nobody. */
  parent: string | null;
  slot: number;
  says: string;
}

const ZOOM_MIN = 0.2;
const ZOOM_MAX = 2;
/** Dots are far away: so near that each has its name. */
const DOTS_ZOOM_MAX = 5;
const DOTS_FIT_MIN = 0.06;
/** On the screen: a smaller dot is not lifted, the ground under it is. */
const LIFT_MIN = 16;
const POINT_MARGIN = 3;
/** Of the canvas of dots, beyond each side of the window. */
const EDGE = 256;
/** After the last move of the ground names are put anew. */
const RELABEL_MILLIS = 120;
const FIT_MAX = 1.25;
const MARGIN = 28;
/** In a window of a phone what does not fit is below, not smaller. */
const NARROW = 560;
const NARROW_MARGIN = 12;

const NOTHING = { agents: 0, working: 0, needs: 0, failed: 0, spend: 0, unmetered: 0 };

/** The organisation as boxes. Drag the ground to pan, an agent to place or move it; the wheel pans, with Ctrl it zooms. */
class OrganisationMap extends Part {
  private scale = 1;
  private pan = { x: 0, y: 0 };
  private touched = false;
  private drawn: Layout = { detail: 'cards', boxes: [], w: 0, h: 0 };
  private lanes = new Lanes(this.drawn, () => null);
  private tree: Tree = { roots: [], childrenOf: new Map() };
  private drag: Drag | null = null;
  private readonly preview = new MovePreview(() => {
    if (this.drag?.moved) this.told(this.drag);
  });
  private ground: { x: number; y: number; from: { x: number; y: number } } | null = null;
  /** Fingers on it: one drags the ground, two zoom. */
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private dragged = false;
  private shape = '';
  /** All of it in one column, as wide as the window. */
  private narrow = false;
  private readonly dots = new Dots();
  private labels: Label[] = [];
  private labelledAt = { x: 0, y: 0 };
  private paintedAt: { x: number; y: number; scale: number } | null = null;
  private relabel = 0;
  private painting = false;
  private pointed: string | null = null;
  private reached: string | null = null;
  private readonly theme = matchMedia('(prefers-color-scheme: dark)');
  private readonly themed = (): void => {
    this.dots.forget();
    this.requestUpdate();
  };
  private fitted = '';
  /** Of the window it has: read when that changes, since asking the page for it lays all of it out. */
  private size = { w: 0, h: 0 };
  private readonly resized = new ResizeObserver(() => {
    this.size = { w: this.clientWidth, h: this.clientHeight };
    this.fitted = '';
    this.requestUpdate();
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.resized.observe(this);
    this.theme.addEventListener('change', this.themed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
    this.theme.removeEventListener('change', this.themed);
  }

  override render(): TemplateResult {
    const { org } = store;
    const { now } = store;
    this.arrange();
    const { boxes } = this.drawn;
    const far = this.drawn.detail === 'dots';
    const tabStop = boxes.some((box) => box.id === view.selected) ? view.selected : boxes[0]?.id;
    return html`
      <div
        class="viewport ${this.drag?.moved ? 'dragging' : ''}"
        role="group"
        aria-label="Map. The arrow keys go from agent to agent; the list beside it says the same."
        @pointerdown=${this.down}
        @pointermove=${this.moved}
        @pointerup=${this.up}
        @pointercancel=${this.cancelled}
        @wheel=${{ handleEvent: (event: WheelEvent) => this.wheel(event), passive: false }}
        @keydown=${this.arrows}
        @click=${this.clicked}
      >
        ${far ? html`<canvas class="far" aria-hidden="true"></canvas>` : nothing}
        <div class="world ${this.drawn.detail}">
          ${far ? nothing : repeat(
            boxes,
            (box) => box.id,
            (box) => this.drawBox(box, org.agents.get(box.id)!, now, box.id === tabStop),
          )}
          ${this.drawMarker()} ${this.drawBeams()}
        </div>
        ${far ? this.drawLabels(now) : nothing}
        <div class="ghost" ?hidden=${!this.drag?.moved}>
          <b dir="auto">${this.drag ? factsOf(org, org.agents.get(this.drag.id)!, now).name : ''}</b>
          <span>${this.drag?.says}</span>
        </div>
      </div>
      <div class="zoom" role="group" aria-label="Zoom">
        <button title="Smaller" aria-label="Smaller" @click=${() => this.zoomBy(1 / 1.25)}>−</button>
        <button class="percent" title="Fit everything" aria-label="Fit everything, now ${Math.round(this.scale * 100)} %" @click=${this.fitAgain}>
          ${Math.round(this.scale * 100)} %
        </button>
        <button title="Larger" aria-label="Larger" @click=${() => this.zoomBy(1.25)}>+</button>
      </div>
    `;
  }

  /** Laid out anew only when somebody came, left, moved or was folded. */
  private arrange(): void {
    const { org } = store;
    const counted = census();
    const detail = detailFor(org.agents.size);
    const folded = new Set<string>();
    for (const id of counted.tree.childrenOf.keys()) if (this.isFolded(org.agents.get(id)!, detail === 'chips')) folded.add(id);
    if (!this.size.w) this.size = { w: this.clientWidth, h: this.clientHeight };
    const narrow = this.size.w > 0 && this.size.w <= NARROW;
    const shape = `${detail} ${narrow} ${[...folded].join()}`;
    if (this.tree === counted.tree && this.shape === shape) return;
    this.tree = counted.tree;
    this.shape = shape;
    this.narrow = narrow;
    this.drawn = layout(this.tree, detail, (agent) => folded.has(agent.id), narrow);
    this.lanes = new Lanes(this.drawn, (id) => org.agents.get(id)?.parent_id ?? null);
  }

  protected override updated(): void {
    const shape = `${this.drawn.w}x${this.drawn.h}`;
    if (!this.touched && this.fitted !== shape && this.drawn.w) {
      this.fit();
      this.fitted = shape;
      this.requestUpdate(); // the percentage
    }
    this.apply();
    see(this.drawn.detail === 'dots' ? this.labels.map((label) => label.id) : []);
  }

  private drawBox(box: Box, agent: Agent, now: number, tabStop: boolean): TemplateResult {
    const { org } = store;
    const facts = factsOf(org, agent, now);
    const found = foundNow();
    const dim = found && !found.has(agent.id) ? 'dim' : '';
    const chosen = view.selected === agent.id ? 'chosen' : '';
    const lifted = this.drag?.moved && this.drag.id === agent.id ? 'lifted' : '';
    const quoted = facts.mood === 'idle' && agent.lastWords ? `“${agent.lastWords}”` : facts.now;
    const moving = facts.mood === 'working' || facts.mood === 'needs';
    const words = facts.time && (box.kind === 'team' || !moving) && quoted === facts.now ? `${quoted} ${moving ? '· ' : ''}${facts.time}` : quoted;
    const card = html`
      <button
        class="card mood-${facts.mood} ${dim} ${chosen} ${lifted}"
        data-id=${agent.id}
        tabindex=${tabStop ? 0 : -1}
        aria-label=${spoken(facts)}
        aria-pressed=${chosen ? 'true' : 'false'}
        title=${box.w < 200 ? `${facts.name}: ${facts.now}` : nothing}
        @click=${() => this.choose(agent)}
      >
        <span class="glyph" aria-hidden="true">${facts.glyph}</span>
        <span class="name" dir="auto">${facts.name}</span>
        ${this.drawn.detail === 'chips' ? nothing : html`<span class="role" dir="auto">${facts.role}</span><span class="spend">${facts.spend}</span>
        <span class="now" dir="auto">${words}</span>
        <span class="time">${moving ? facts.time : ''}</span>`}
      </button>
    `;
    if (box.kind === 'agent') return html`<div class="box" ${at(box.x, box.y, box.w, box.h)}>${card}</div>`;
    return html`
      <section class="box team depth${box.depth % 2} ${this.dropOn(box) ? 'target' : ''} ${dim && box.folded ? 'dim' : ''}" ${at(box.x, box.y, box.w, box.h)}>
        ${card} ${this.drawSum(agent, box)}
      </section>
    `;
  }

  private drawSum(agent: Agent, box: Box): TemplateResult {
    const sum = census().below.get(agent.id) ?? NOTHING;
    const spend = sum.spend + agent.monthly_spend; // its head has no room for its own
    const unmetered = sum.unmetered + (isUncounted(agent) ? 1 : 0);
    return html`
      <span class="sum">
        ${sum.needs ? html`<b class="mood-needs" title="${sum.needs} need you">▲${sum.needs}</b>` : nothing}
        ${sum.failed ? html`<b class="mood-failed" title="${sum.failed} failed">✕${sum.failed}</b>` : nothing}
        ${sum.working ? html`<b class="mood-working" title="${sum.working} working">◐${sum.working}</b>` : nothing}
        ${spend ? html`<i title="this month, who leads it included${unmetered ? `, ${unmetered} not metered` : ''}">${dollars(spend)}${unmetered ? '+' : ''}</i>` : nothing}
        <button
          class="fold"
          aria-expanded=${box.folded ? 'false' : 'true'}
          aria-label="${box.folded ? 'Open' : 'Fold'} the team of ${factsOf(store.org, agent, 0).name}, ${sum.agents} below"
          tabindex="-1"
          data-fold=${agent.id}
          @click=${() => this.toggle(agent, box.folded)}
        >
          ${sum.agents}<span aria-hidden="true">${box.folded ? '▸' : '▾'}</span>
        </button>
      </span>
    `;
  }

  private look(): Look {
    return { layout: this.drawn, moods: census().moods, found: foundNow(), scale: this.scale, ...this.pan, ...this.size };
  }

  /** Names beside dots: of few, for nobody reads thousands. */
  private drawLabels(now: number): TemplateResult {
    const { org } = store;
    const always = [view.selected, this.reached, this.pointed].filter((id): id is string => id !== null && org.agents.has(id));
    this.labels = labelsOf(this.look(), (id) => Math.min(NAME_MAX, org.agents.get(id)!.name.length), always);
    this.labelledAt = { ...this.pan };
    const tabStop = this.labels.some((label) => label.id === view.selected) ? view.selected : this.labels[0]?.id;
    const found = foundNow();
    return html`<div class="labels">
      ${repeat(
        this.labels,
        (label) => label.id,
        (label) => {
          const agent = org.agents.get(label.id)!;
          const facts = factsOf(org, agent, now);
          const sum = label.kind === 'head' ? (census().below.get(agent.id) ?? NOTHING) : NOTHING;
          const chosen = view.selected === agent.id;
          return html`<button
            class="label ${label.kind} mood-${facts.mood} ${found && !found.has(agent.id) ? 'dim' : ''} ${chosen ? 'chosen' : ''}"
            data-id=${agent.id}
            tabindex=${label.id === tabStop ? 0 : -1}
            aria-label=${spoken(facts)}
            aria-pressed=${chosen ? 'true' : 'false'}
            title=${facts.name}
            @click=${() => this.choose(agent)}
            ${at(label.x, label.y, label.w, 20)}
          >${label.kind === 'note' ? html`<span class="glyph" aria-hidden="true">${facts.glyph}</span>` : nothing}<span class="name" dir="auto">${label.kind === 'head' ? fittedName(facts.name, label.w - 8) : facts.name}</span>${label.kind === 'head' && label.w > 110
            ? html`<span class="sum">${sum.needs ? html`<b class="mood-needs">▲${sum.needs}</b>` : nothing}${sum.failed ? html`<b class="mood-failed">✕${sum.failed}</b>` : nothing}${sum.working && label.w > 160 ? html`<b class="mood-working">◐${sum.working}</b>` : nothing} ${sum.agents}</span>`
            : nothing}</button>`;
        },
      )}
    </div>`;
  }

  private drawMarker(): TemplateResult | typeof nothing {
    if (!this.drag?.moved || this.drag.parent !== (store.org.agents.get(this.drag.id)?.parent_id ?? null)) return nothing;
    const siblings = this.siblingBoxes(this.drag.parent, this.drag.id);
    const box = siblings[this.drag.slot] ?? siblings.at(-1);
    if (!box) return nothing;
    const x = this.drag.slot < siblings.length ? box.x - 8 : box.x + box.w + 4;
    return html`<div class="box marker" ${at(x, box.y, 4, Math.min(box.h, 120))}></div>`;
  }

  /** Who speaks with whom, beside the words of everybody. */
  private drawBeams(): TemplateResult | typeof nothing {
    const ways = store.org.beams.flatMap((beam) => {
      const from = this.visible(beam.from);
      const to = this.visible(beam.to);
      return from && to && from !== to ? [{ key: `${beam.from}>${beam.to}:${beam.at}`, points: this.lanes.between(from, to) }] : [];
    });
    if (!ways.length) return nothing;
    return html`<svg class="beams" aria-hidden="true" width=${this.drawn.w} height=${this.drawn.h}>
      ${repeat(
        ways,
        (way) => way.key,
        ({ points }) => svg`<g><path class="way" d=${pathOf(points)}></path><path class="said" d=${pathOf(points)} pathLength="1"></path><circle cx=${points.at(-1)!.x} cy=${points.at(-1)!.y} r="3"></circle></g>`,
      )}
    </svg>`;
  }

  /** Its box, or that of the folded team it is in. */
  private visible(id: string): Box | undefined {
    for (let agent = store.org.agents.get(id), steps = 0; agent && steps < 100; steps++) {
      const box = this.lanes.find(agent.id);
      if (box) return box;
      agent = store.org.agents.get(agent.parent_id ?? '');
    }
    return undefined;
  }

  /** What is kept folded stays so; of hundreds, teams in which nothing needs anybody are folded until opened. */
  private isFolded(agent: Agent, quietly: boolean): boolean {
    const here = view.folded.get(agent.id);
    if (here !== undefined) return here;
    if (agent.collapsed) return true;
    if (!quietly) return false;
    const { tree, below } = census();
    if (tree.childrenOf.get(agent.id)!.some((child) => tree.childrenOf.has(child.id))) return false;
    const sum = below.get(agent.id) ?? NOTHING;
    return !sum.needs && !sum.failed;
  }

  private toggle(agent: Agent, folded: boolean): void {
    view.folded.set(agent.id, !folded);
    if (!store.past && mayAct(agent.id)) fold(agent, !folded);
    store.changed();
  }

  private choose(agent: Agent): void {
    if (this.drag?.moved || this.dragged) return;
    look({ selected: agent.id, talkTo: agent.id });
  }

  // --- moving about ------------------------------------------------------------------------------------------------

  private fit(): void {
    const { w, h } = this.size;
    if (!w || !h) return;
    if (this.narrow && this.drawn.detail !== 'dots') {
      this.scale = Math.min(FIT_MAX, (w - 2 * NARROW_MARGIN) / this.drawn.w);
      this.pan = { x: (w - this.drawn.w * this.scale) / 2, y: NARROW_MARGIN };
      return;
    }
    const wanted = Math.min((w - 2 * MARGIN) / this.drawn.w, (h - 2 * MARGIN) / this.drawn.h);
    this.scale = Math.max(this.drawn.detail === 'dots' ? DOTS_FIT_MIN : 0.35, Math.min(FIT_MAX, wanted));
    this.pan = {
      x: Math.max(MARGIN, (w - this.drawn.w * this.scale) / 2),
      y: Math.max(MARGIN, (h - this.drawn.h * this.scale) * 0.42),
    };
  }

  private readonly fitAgain = (): void => {
    this.touched = false;
    this.fitted = '';
    this.requestUpdate();
  };

  private zoomBy(factor: number, x = this.size.w / 2, y = this.size.h / 2): void {
    const far = this.drawn.detail === 'dots';
    const scale = Math.max(far ? DOTS_FIT_MIN : ZOOM_MIN, Math.min(far ? DOTS_ZOOM_MAX : ZOOM_MAX, this.scale * factor));
    const grown = scale / this.scale;
    this.pan = { x: x - (x - this.pan.x) * grown, y: y - (y - this.pan.y) * grown };
    this.scale = scale;
    this.touched = true;
    this.requestUpdate();
  }

  private apply(): void {
    const world = this.querySelector<HTMLElement>('.world');
    if (world?.firstElementChild) world.style.transform = `translate(${this.pan.x}px, ${this.pan.y}px) scale(${this.scale})`;
    if (this.drawn.detail !== 'dots') return;
    if (this.labelledAt.x !== this.pan.x || this.labelledAt.y !== this.pan.y) {
      store.dragged();
      clearTimeout(this.relabel);
      this.relabel = window.setTimeout(() => {
        this.paintedAt = null;
        this.requestUpdate();
      }, RELABEL_MILLIS);
    }
    if (this.painting) return;
    this.painting = true;
    requestAnimationFrame(() => {
      this.painting = false;
      this.paint();
    });
  }

  /** The canvas is larger than the window, so that dragged ground is moved, not painted, until its edge is near. */
  private paint(): void {
    const canvas = this.querySelector<HTMLCanvasElement>('canvas.far');
    const labels = this.querySelector<HTMLElement>('.labels');
    if (!canvas || !labels) return;
    const { pan, scale, paintedAt: before } = this;
    const within = before && before.scale === scale && Math.abs(before.x - pan.x) < EDGE && Math.abs(before.y - pan.y) < EDGE;
    const painted = within ? before : { x: Math.round(pan.x), y: Math.round(pan.y), scale };
    this.paintedAt = painted;
    const look = this.look();
    this.dots.paint(canvas, { ...look, x: painted.x + EDGE, y: painted.y + EDGE, w: look.w + 2 * EDGE, h: look.h + 2 * EDGE });
    // by whole pixels: what lies between them would be mixed anew for each frame
    canvas.style.transform = `translate(${Math.round(pan.x - painted.x) - EDGE}px, ${Math.round(pan.y - painted.y) - EDGE}px)`;
    labels.style.transform = `translate(${Math.round(pan.x - this.labelledAt.x)}px, ${Math.round(pan.y - this.labelledAt.y)}px)`;
  }

  /** Who is drawn at a point of the screen, as a dot. */
  private dotAt(event: MouseEvent): string | null {
    if (this.drawn.detail !== 'dots') return null;
    const corner = this.getBoundingClientRect();
    const [x, y] = [event.clientX - corner.x, event.clientY - corner.y];
    const place = { scale: this.scale, ...this.pan };
    for (const box of this.drawn.boxes) {
      const dot = dotOf(box, place);
      const r = dot.size / 2 + POINT_MARGIN;
      if (Math.abs(dot.x - x) <= r && Math.abs(dot.y - y) <= r) return box.id;
    }
    return null;
  }

  private readonly clicked = (event: MouseEvent): void => {
    if (this.dragged || (event.target as Element).closest('[data-id]')) return;
    const agent = store.org.agents.get(this.dotAt(event) ?? '');
    if (agent) this.choose(agent);
  };

  /** Its name, while it is pointed at. */
  private point(event: PointerEvent): void {
    if (this.drawn.detail !== 'dots' || event.pointerType !== 'mouse' || (event.target as Element).closest('[data-id]')) return;
    const id = this.dotAt(event);
    if (id === this.pointed) return;
    this.pointed = id;
    this.requestUpdate();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const corner = this.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY / 300), event.clientX - corner.x, event.clientY - corner.y);
      return;
    }
    this.pan = { x: this.pan.x - event.deltaX, y: this.pan.y - event.deltaY };
    this.touched = true;
    this.apply();
  }

  private readonly down = (event: PointerEvent): void => {
    if (event.button !== 0 || (event.target as Element).closest('.fold')) return;
    this.dragged = false;
    const touch = event.pointerType === 'touch';
    if (touch) this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const liftable = 24 * this.scale >= LIFT_MIN ? this.dotAt(event) : null;
    const id = touch ? null : ((event.target as Element).closest<HTMLElement>('[data-id]')?.dataset['id'] ?? liftable); // a finger drags the ground wherever it is put
    if (id && (store.past || !mayAct(id))) return; // what was is not moved, nor what others lead
    if (id) this.drag = { id, from: { x: event.clientX, y: event.clientY }, moved: false, parent: null, slot: 0, says: '' };
    else if (this.fingers.size < 2) this.ground = { x: event.clientX - this.pan.x, y: event.clientY - this.pan.y, from: { x: event.clientX, y: event.clientY } };
  };

  private readonly moved = (event: PointerEvent): void => {
    if (this.fingers.size === 2 && this.pinched(event)) return;
    const finger = this.fingers.get(event.pointerId);
    if (finger) Object.assign(finger, { x: event.clientX, y: event.clientY }); // or the next beside it would begin where it was put down
    if (this.ground) {
      this.dragged ||= Math.hypot(event.clientX - this.ground.from.x, event.clientY - this.ground.from.y) > 3;
      this.pan = { x: event.clientX - this.ground.x, y: event.clientY - this.ground.y };
      this.touched = true;
      this.apply();
      return;
    }
    const drag = this.drag;
    if (!drag) return this.point(event);
    if (!drag.moved && Math.hypot(event.clientX - drag.from.x, event.clientY - drag.from.y) < 6) return;
    if (!drag.moved) (event.currentTarget as Element).setPointerCapture(event.pointerId);
    drag.moved = this.dragged = true;
    this.aim(drag, event);
    const ghost = this.querySelector<HTMLElement>('.ghost');
    const corner = this.getBoundingClientRect();
    if (ghost) ghost.style.transform = `translate(${event.clientX - corner.x + 12}px, ${event.clientY - corner.y + 12}px)`;
    this.requestUpdate();
  };

  /** Two fingers: as much larger as they go apart, about the place between them. */
  private pinched(event: PointerEvent): boolean {
    const finger = this.fingers.get(event.pointerId);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!finger || !other) return false;
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    const corner = this.getBoundingClientRect();
    this.pan = { x: this.pan.x + (event.clientX - finger.x) / 2, y: this.pan.y + (event.clientY - finger.y) / 2 };
    Object.assign(finger, { x: event.clientX, y: event.clientY });
    this.ground = null;
    this.dragged = true;
    if (before > 0) this.zoomBy(after / before, (finger.x + other.x) / 2 - corner.x, (finger.y + other.y) / 2 - corner.y);
    return true;
  }

  /** Says before the drop what it would do. */
  private aim(drag: Drag, event: PointerEvent): void {
    const agent = store.org.agents.get(drag.id);
    if (!agent) return;
    const corner = this.getBoundingClientRect();
    const x = (event.clientX - corner.x - this.pan.x) / this.scale;
    const y = (event.clientY - corner.y - this.pan.y) / this.scale;
    const own = new Set(branchOf(this.tree, agent).map((one) => one.id));
    const over = this.drawn.boxes.find((box) => box.kind === 'agent' && !own.has(box.id) && x >= box.x && y >= box.y && x <= box.x + box.w && y <= box.y + box.h);
    drag.parent = teamAt(this.drawn.boxes, x, y, own)?.id ?? null;
    // dropped in the middle of somebody who has no team yet, it begins one
    if (over && over.id !== agent.parent_id && inMiddle(over, x, y)) drag.parent = over.id;
    drag.slot = slotAt(this.siblingBoxes(drag.parent, agent.id), x, y);
    const stays = drag.parent === (agent.parent_id ?? null);
    if (!stays) this.preview.ask(agent.id, drag.parent);
    drag.says = stays ? 'place it here' : this.preview.inShort(store.org, agent, drag.parent);
  }

  /** The platform told what a move to where it is held would change. */
  private told(drag: Drag): void {
    const agent = store.org.agents.get(drag.id);
    if (agent && drag.parent !== (agent.parent_id ?? null)) drag.says = this.preview.inShort(store.org, agent, drag.parent);
    this.requestUpdate();
  }

  private siblingBoxes(parent: string | null, except: string): Box[] {
    return this.drawn.boxes.filter((box) => box.id !== except && (store.org.agents.get(box.id)?.parent_id ?? null) === parent);
  }

  private dropOn(box: Box): boolean {
    return !!this.drag?.moved && this.drag.parent === box.id;
  }

  private readonly up = (event: PointerEvent): void => {
    const drag = this.drag;
    this.fingers.delete(event.pointerId);
    const stays = this.fingers.size === 1 ? [...this.fingers.values()][0]! : null;
    this.ground = stays && { x: stays.x - this.pan.x, y: stays.y - this.pan.y, from: { ...stays } };
    setTimeout(() => (this.dragged = false)); // after the click that ends every drag
    this.preview.forget();
    if (!drag?.moved) {
      this.drag = null;
      return;
    }
    setTimeout(() => { // after that click, too
      this.drag = null;
      this.requestUpdate();
    });
    const agent = store.org.agents.get(drag.id);
    if (!agent) return;
    if (drag.parent !== (agent.parent_id ?? null)) {
      look({ dialog: { kind: 'move', id: agent.id, to: drag.parent } }); // says all of it, and asks
      return;
    }
    const siblings = this.siblingBoxes(drag.parent, agent.id).map((box) => store.org.agents.get(box.id)!);
    siblings.splice(drag.slot, 0, agent);
    void place(siblings);
  };

  private readonly cancelled = (): void => {
    this.drag = this.ground = null;
    this.fingers.clear();
    this.requestUpdate();
  };

  /** Brings it into sight where it is not, and there the focus. */
  private async reach(box: Box): Promise<void> {
    this.reached = box.id;
    if (this.drawn.detail === 'dots') {
      const dot = dotOf(box, { scale: this.scale, ...this.pan });
      if (dot.x < MARGIN || dot.y < MARGIN || dot.x > this.size.w - MARGIN || dot.y > this.size.h - MARGIN) {
        this.pan = { x: this.pan.x + this.size.w / 2 - dot.x, y: this.pan.y + this.size.h / 2 - dot.y };
        this.touched = true;
      }
      this.requestUpdate();
      await this.updateComplete;
    }
    this.querySelector<HTMLElement>(`[data-id="${CSS.escape(box.id)}"]`)?.focus();
  }

  private readonly arrows = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this.drag) {
      this.cancelled();
      return;
    }
    const id = (event.target as HTMLElement).dataset['id'];
    const way = ARROWS[event.key];
    const here = this.drawn.boxes.find((box) => box.id === id);
    if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === ' ' || event.key === 'f') {
      if (here.kind === 'team' && event.key === 'f') this.toggle(store.org.agents.get(here.id)!, here.folded);
      return;
    }
    if (!way) return;
    event.preventDefault();
    const next = nearest(here, this.drawn.boxes, way);
    if (next) void this.reach(next);
  };
}

const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Where a box's words stand: of a team its head. */
const middle = (box: Box): { x: number; y: number } => ({ x: box.x + Math.min(box.w, 280) / 2, y: box.y + (box.head || box.h) / 2 });

const inMiddle = (box: Box, x: number, y: number): boolean => x > box.x + box.w * 0.3 && x < box.x + box.w * 0.7 && y > box.y && y < box.y + box.h;

/** The closest in that direction; what lies aside counts twice. */
function nearest(from: Box, boxes: Box[], [dx, dy]: [number, number]): Box | null {
  const start = middle(from);
  let best: Box | null = null;
  let least = Infinity;
  for (const box of boxes) {
    const there = middle(box);
    const ahead = (there.x - start.x) * dx + (there.y - start.y) * dy;
    const aside = Math.abs((there.x - start.x) * dy) + Math.abs((there.y - start.y) * dx);
    if (box.id !== from.id && ahead > 4 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = box;
    }
  }
  return best;
}

customElements.define('organisation-map', OrganisationMap);
