import { html, nothing, svg, type TemplateResult } from 'lit';
import './timebar.css';
import { leftBefore } from './returning';
import { travel } from './travel';
import { Part, copyLink } from './view';
import { clock, exactly } from './words';

const SPANS: { words: string; millis: number }[] = [
  { words: '2 min', millis: 120_000 },
  { words: '10 min', millis: 600_000 },
  { words: '30 min', millis: 1_800_000 },
  { words: '1 hour', millis: 3_600_000 },
  { words: '6 hours', millis: 6 * 3_600_000 },
  { words: '1 day', millis: 86_400_000 },
  { words: '7 days', millis: 7 * 86_400_000 },
  { words: '90 days', millis: 90 * 86_400_000 },
];
const COLUMNS = 240;
/** So close to the end is now. */
const NOW_MILLIS = 1_500;
const PLAY_MILLIS = 250;
/** A whole span is played in so long. */
const PLAYED_IN = 40_000;

/** Everything that happened as a line: drag it, or use the arrow keys, to go back; the whole page follows. */
class TimeBar extends Part {
  private span: number | null = null;
  private playing = 0;
  /** While it is looked at the past the line stands still. */
  private end = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    travel.freshen();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
  }

  override render(): TemplateResult {
    travel.freshen();
    const past = travel.at !== null;
    if (!past || !this.end) this.end = Date.now();
    const span = this.span ?? this.fitting();
    const from = Math.min(this.end - span, travel.at ?? Infinity);
    const at = travel.at ?? this.end;
    const step = span <= 3_600_000 ? 1_000 : 60_000;
    return html`
      <div class="line ${past ? 'past' : ''}">
        <label class="span"><span class="unseen">Range</span>
          <select @change=${(event: Event) => { this.span = Number((event.target as HTMLSelectElement).value); this.requestUpdate(); }}>
            ${SPANS.map((one) => html`<option value=${one.millis} .selected=${one.millis === span}>${one.words}</option>`)}
          </select></label>
        <div class="track">
          ${this.drawMarks(from)}
          <input type="range" aria-label="Timeline. Drag back to see the past." aria-valuetext=${past ? exactly(at) : 'now'} min=${from} max=${this.end} step=${step} .value=${String(at)}
            @input=${(event: Event) => this.moved(Number((event.target as HTMLInputElement).value))} />
        </div>
        <button class="play" aria-label=${this.playing ? 'Pause' : 'Play from here'} title=${this.playing ? 'Pause' : 'Play'} ?disabled=${!past} @click=${() => (this.playing ? this.stop() : this.play(span))}>${this.playing ? '‖' : '▸'}</button>
        <span class="time when">${past ? '' : 'Timeline'}</span>
        ${!past && leftBefore() !== null ? html`<button class="left" @click=${() => void travel.go(leftBefore()!)}>since you left</button>` : nothing}
        ${past ? html`<button class="primary" @click=${() => this.back()}>Live</button>` : nothing}
      </div>
      ${travel.note ? html`<p class="note" role="status">${travel.note}</p>` : nothing}
    `;
  }

  /** The shortest span that holds all that is known to have happened. */
  private fitting(): number {
    const reach = travel.reach;
    const age = reach === null ? 0 : this.end - Math.min(reach, travel.at ?? Infinity);
    return SPANS.find((one) => one.millis >= age)?.millis ?? SPANS.at(-1)!.millis;
  }

  private drawMarks(from: number): TemplateResult {
    const span = this.end - from;
    const counts = new Map<number, { all: number; kind: string }>();
    for (const mark of travel.marks()) {
      if (mark.at < from || mark.at > this.end) continue;
      const column = Math.min(COLUMNS - 1, Math.floor(((mark.at - from) / span) * COLUMNS));
      const known = counts.get(column) ?? { all: 0, kind: 'other' };
      counts.set(column, { all: known.all + 1, kind: mark.kind === 'other' ? known.kind : mark.kind });
    }
    return html`<svg viewBox="0 0 ${COLUMNS} 20" preserveAspectRatio="none" aria-hidden="true">
      ${[...counts].map(([column, { all, kind }]) => {
        const high = Math.min(18, 5 + 4 * Math.log2(all));
        return svg`<rect class=${kind} x=${column} y=${20 - high} width="0.8" height=${high}></rect>`;
      })}
    </svg>`;
  }

  private moved(at: number): void {
    this.stop();
    if (at >= this.end - NOW_MILLIS) this.back();
    else void travel.go(at);
  }

  private back(): void {
    this.stop();
    travel.now();
  }

  private play(span: number): void {
    const pace = Math.max(1_000, span / PLAYED_IN * 1_000) * (PLAY_MILLIS / 1_000);
    this.playing = window.setInterval(() => {
      const next = (travel.at ?? this.end) + pace;
      if (next >= this.end - NOW_MILLIS) this.back();
      else void travel.go(next);
    }, PLAY_MILLIS);
    this.requestUpdate();
  }

  private stop(): void {
    clearInterval(this.playing);
    this.playing = 0;
  }
}

/** What the frame says while the past is looked at. */
export function pastBanner(): TemplateResult | typeof nothing {
  if (travel.at === null) return nothing;
  return html`<p class="away then" role="status"><span>You see ${clock(travel.at, Date.now()).replace(/\d\d:\d\d$/, '')}${exactly(travel.at)}. Nothing can be done there; what is running goes on.</span> <button @click=${() => copyLink()}>Copy a link to this moment</button> <button @click=${() => travel.now()}>Live</button></p>`;
}

customElements.define('time-bar', TimeBar);
