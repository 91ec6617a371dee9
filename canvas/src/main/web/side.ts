import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { restart } from './actions';
import { factsOf } from './facts';
import type { Agent, Approval, Doubt, Happening } from './model';
import { moodOf } from './organisation';
import './side.css';
import { store } from './store';
import { talk } from './talk';
import { Part, look, view } from './view';
import { MOODS, clip, clock, elapsed, waiting, type Mood } from './words';

const SHOWN = 20;
const LATELY = 8;

/** What moves: what needs a person, who works, what happened lately. */
class Side extends Part {
  override render(): TemplateResult {
    const { org } = store;
    const now = Date.now();
    const approvals = [...org.approvals.values()].sort((a, b) => a.at - b.at);
    const broken = [...org.agents.values()].filter((agent) => agent.status === 'failed' || agent.status === 'degraded');
    const doubts = [...org.doubts.values()].sort((a, b) => a.at - b.at);
    const working = [...org.agents.values()].filter((agent) => moodOf(org, agent) === 'working');
    const mine = talk.asked.filter((asked) => asked.endedAt === null);
    const needs = approvals.length + broken.length + doubts.length;
    return html`
      <section aria-labelledby="needs">
        <h2 id="needs" class=${needs ? 'mood-needs' : ''}>Needs you${needs ? html` <span>${needs}</span>` : nothing}</h2>
        ${needs ? nothing : html`<p class="none">Nothing waits for you.</p>`}
        ${repeat(approvals.slice(0, SHOWN), (one) => one.id, (one) => this.drawApproval(one, now))}
        ${repeat(doubts.slice(0, SHOWN), (one) => one.id, (one) => this.drawDoubt(one, now))}
        ${repeat(broken.slice(0, SHOWN), (one) => one.id, (one) => this.drawBroken(one, now))}
        ${more(needs, Math.min(approvals.length, SHOWN) + Math.min(doubts.length, SHOWN) + Math.min(broken.length, SHOWN))}
      </section>
      <section aria-labelledby="working">
        <h2 id="working">Working${working.length + mine.length ? html` <span>${working.length || mine.length}</span>` : nothing}</h2>
        ${working.length + mine.length ? nothing : html`<p class="none">Everybody is idle.</p>`}
        ${mine.map((asked) => entry('working', `“${clip(asked.text, 70)}”`, elapsed(now - asked.startedAt), this.nameOf(asked.agentId), () => this.show(asked.agentId)))}
        ${repeat(working.slice(0, SHOWN), (one) => one.id, (one) => {
          const facts = factsOf(org, one, now);
          return entry('working', facts.now === 'working' ? '' : facts.now, facts.time, facts.name, () => this.show(one.id));
        })}
        ${more(working.length, Math.min(working.length, SHOWN))}
      </section>
      <section aria-labelledby="lately">
        <h2 id="lately">Lately</h2>
        ${this.drawLately(now)}
      </section>
    `;
  }

  private drawLately(now: number): TemplateResult | TemplateResult[] {
    const done = talk.asked
      .filter((asked) => asked.endedAt !== null)
      .map((asked) => ({
        key: asked.key,
        mood: (asked.state === 'failed' ? 'failed' : 'idle') as Mood,
        glyph: asked.state === 'failed' ? '✕' : asked.state === 'stopped' ? '‖' : '✓',
        text: `“${clip(asked.text, 70)}”`,
        who: this.nameOf(asked.agentId),
        at: asked.endedAt!,
        id: asked.agentId,
      }));
    const told = store.org.lately.filter((one) => !isOver(one)).map((one) => ({
      key: one.key,
      mood: one.mood,
      glyph: one.mood === 'idle' || one.mood === 'working' ? '·' : MOODS[one.mood].glyph,
      text: one.text,
      who: '',
      at: one.at,
      id: one.workspaceId,
    }));
    const all = [...done, ...told].sort((a, b) => b.at - a.at).slice(0, LATELY);
    if (!all.length) return html`<p class="none">Nothing yet.</p>`;
    return html`${repeat(all, (one) => one.key, (one) =>
      entry(one.mood === 'working' ? 'idle' : one.mood, one.text, clock(one.at, now), one.who, () => this.show(one.id), one.glyph))}`;
  }

  private drawApproval(approval: Approval, now: number): TemplateResult {
    const name = this.nameOf(approval.workspaceId);
    const busy = approval.state === 'sending';
    return html`
      <article class="decide mood-needs" data-approval=${approval.id}>
        <button class="about" @click=${() => this.show(approval.workspaceId)}>
          <span class="glyph" aria-hidden="true">▲</span>
          <span class="who" dir="auto">${name}</span><span class="time">${waiting(now - approval.at)}</span>
          <span class="what" dir="auto">${clip(approval.action, 300)}</span>
        </button>
        ${approval.reason ? html`<blockquote dir="auto">${clip(approval.reason, 400)}</blockquote>` : nothing}
        ${approval.note ? html`<p class="refused">Not decided: ${approval.note}</p>` : nothing}
        <div class="buttons">
          <button class="primary" ?disabled=${busy} aria-label="Approve: ${clip(approval.action, 100)}, for ${name}" @click=${() => store.decide(approval, 'approved')}>Approve</button>
          <button ?disabled=${busy} aria-label="No: ${clip(approval.action, 100)}, for ${name}" @click=${() => store.decide(approval, 'denied')}>No</button>
          ${busy ? html`<span class="none">Deciding…</span>` : nothing}
        </div>
      </article>
    `;
  }

  private drawDoubt(doubt: Doubt, now: number): TemplateResult {
    const asked = this.nameOf(doubt.targetId);
    return html`
      <article class="decide mood-doubt">
        <button class="about" @click=${() => this.show(doubt.workspaceId)}>
          <span class="glyph" aria-hidden="true">?</span>
          <span class="who" dir="auto">${this.nameOf(doubt.workspaceId)}</span><span class="time">${waiting(now - doubt.at)}</span>
          <span class="what" dir="auto">What it asked ${asked} may or may not have happened.</span>
        </button>
        <div class="buttons">
          <button @click=${() => this.show(doubt.targetId)}>Ask ${asked}</button>
          <button @click=${() => { store.org.doubts.delete(doubt.id); store.changed(); }}>I looked, it is fine</button>
        </div>
      </article>
    `;
  }

  private drawBroken(agent: Agent, now: number): TemplateResult {
    const facts = factsOf(store.org, agent, now);
    const what = agent.status === 'failed' ? 'Cannot start' : 'Has errors';
    return html`
      <article class="decide mood-failed">
        <button class="about" @click=${() => { look({ tab: 'about' }); this.show(agent.id); }}>
          <span class="glyph" aria-hidden="true">✕</span>
          <span class="who" dir="auto">${facts.name}</span><span class="time">${facts.time}</span>
          <span class="what" dir="auto">${agent.error ? `${what}: ${facts.now}` : `${what}.`}</span>
        </button>
        <div class="buttons"><button @click=${() => restart(agent)} aria-label="Restart ${facts.name}">Restart</button></div>
      </article>
    `;
  }

  private nameOf(id: string): string {
    return clip(store.org.agents.get(id)?.name ?? 'somebody who left', 60);
  }

  private show(id: string): void {
    if (store.org.agents.has(id)) look({ selected: id, talkTo: id, tab: view.tab });
  }
}

/** A pause that ended, and a silence that turned out to be a failed start, are no news: every import begins paused. */
function isOver(happening: Happening): boolean {
  const status = store.org.agents.get(happening.workspaceId)?.status;
  return (happening.mood === 'paused' && status !== 'paused') || (happening.mood === 'away' && status === 'failed');
}

const more = (all: number, shown: number): TemplateResult | typeof nothing => (all > shown ? html`<p class="none">and ${all - shown} more; search “failed” or “needs”</p>` : nothing);

function entry(mood: Mood, text: string, time: string, who: string, act: () => void, glyph = MOODS[mood].glyph): TemplateResult {
  return html`
    <button class="entry mood-${mood}" @click=${act}>
      <span class="glyph" aria-hidden="true">${glyph}</span>
      ${who ? html`<span class="who" dir="auto">${who}</span>` : nothing}
      <span class="what ${who ? '' : 'alone'}" dir="auto">${text}</span>
      <span class="time">${time}</span>
    </button>
  `;
}

customElements.define('organisation-side', Side);
