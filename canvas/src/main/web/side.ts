import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { pullPlug, restart } from './actions';
import { factsOf } from './facts';
import type { Agent, Approval, Doubt, Happening } from './model';
import { branchOf, moodOf, treeOf } from './organisation';
import './side.css';
import { store } from './store';
import { Part, look, view } from './view';
import { works, type Work } from './work';
import { STATES, costOf } from './works';
import { MOODS, clip, clock, elapsed, waiting, type Mood } from './words';

const SHOWN = 20;
const LATELY = 8;
const DONE = 4;
const SINCE = 5;
const FACTS = 6;

/** What moves: what needs a person, who works, what happened lately. */
class Side extends Part {
  override render(): TemplateResult {
    works.recall();
    const { org, now } = store;
    const approvals = [...org.approvals.values()].sort((a, b) => a.at - b.at);
    const broken = [...org.agents.values()].filter((agent) => agent.status === 'failed' || agent.status === 'degraded');
    const doubts = [...org.doubts.values()].sort((a, b) => a.at - b.at);
    const all = workAt(now);
    const asking = questions();
    const under = all.filter((one) => !asking.includes(one));
    const led = new Set(under.map((work) => work.to)); // what they do stands beside their work
    const working = [...org.agents.values()].filter((agent) => moodOf(org, agent) === 'working' && !led.has(agent.id));
    const needs = approvals.filter((one) => one.state !== 'decided').length + asking.length + broken.length + doubts.length;
    return html`
      <section aria-labelledby="needs">
        <h2 id="needs" class=${needs ? 'mood-needs' : ''}>Needs you${needs ? html` <span>${needs}</span>` : nothing}</h2>
        ${needs || approvals.length ? nothing : html`<p class="none">${store.past ? 'Nothing waited for anybody.' : 'Nothing waits for you.'}</p>`}
        ${repeat(approvals.slice(0, SHOWN), (one) => one.id, (one) => this.drawApproval(one, now))}
        ${repeat(asking.slice(0, SHOWN), (one) => one.id, (one) => this.drawAsking(one, now))}
        ${repeat(doubts.slice(0, SHOWN), (one) => one.id, (one) => this.drawDoubt(one, now))}
        ${repeat(broken.slice(0, SHOWN), (one) => one.id, (one) => this.drawBroken(one, now))}
        ${more(needs, Math.min(approvals.length, SHOWN) + Math.min(asking.length, SHOWN) + Math.min(doubts.length, SHOWN) + Math.min(broken.length, SHOWN))}
      </section>
      <section aria-labelledby="working">
        <h2 id="working">Working${under.length || working.length ? html` <span>${under.length || working.length}</span>` : nothing}</h2>
        ${under.length + working.length ? nothing : html`<p class="none">${store.past ? 'Everybody was idle.' : 'Everybody is idle.'}</p>`}
        ${repeat(under.slice(0, SHOWN), (one) => one.id, (one) => this.drawWork(one, now))}
        ${more(under.length, Math.min(under.length, SHOWN))}
        ${repeat(working.slice(0, SHOWN), (one) => one.id, (one) => {
          const facts = factsOf(org, one, now);
          return html`${entry('working', facts.now === 'working' ? '' : facts.now, facts.time, facts.name, () => this.show(one.id))}
            ${canLosePlug(one) ? html`<button class="plug" @click=${() => void pullPlug(one)}>Pull its plug</button>` : nothing}`;
        })}
        ${more(working.length, Math.min(working.length, SHOWN))}
      </section>
      ${store.past ? this.drawSince() : this.drawDone(now)}
      <section aria-labelledby="lately">
        <h2 id="lately">${store.past ? 'Just before' : 'Lately'}</h2>
        ${this.drawLately(now)}
      </section>
    `;
  }

  private drawWork(work: Work, now: number): TemplateResult {
    const state = work.state === 'needs_you' && !store.past ? STATES.needs_you : work.ended_at && !store.past ? STATES[work.state] : STATES.working;
    const took = elapsed((work.ended_at && !store.past ? Date.parse(work.ended_at) : now) - Date.parse(work.created_at));
    return html`
      <button class="entry work mood-${state.mood}" @click=${() => look({ screen: 'work', work: work.id })}>
        <span class="glyph" aria-hidden="true">${state.glyph}</span>
        <span class="who" dir="auto">“${clip(work.title, 80)}”</span>
        <span class="time">${took}</span>
        <span class="what" dir="auto">${[this.doing(work), costOf(work)].filter((part) => part).join(' · ')}</span>
      </button>
    `;
  }

  /** Who has it, and what they do now. */
  private doing(work: Work): string {
    const several = workAt(store.now).filter((one) => one.to === work.to).length > 1; // then it is not known which of them that is
    const task = several ? '' : store.org.agents.get(work.to)?.current_task;
    return this.nameOf(work.to) + (task && !work.ended_at && task !== work.title ? `: ${clip(task, 60)}` : '');
  }

  private drawDone(now: number): TemplateResult | typeof nothing {
    const today = works.list.filter((one) => one.ended_at && new Date(one.ended_at).toDateString() === new Date(now).toDateString());
    if (!today.length) return nothing;
    return html`
      <section aria-labelledby="done">
        <h2 id="done">Done today <span>${today.length}</span></h2>
        ${repeat(today.slice(0, DONE), (one) => one.id, (one) => this.drawWork(one, now))}
        ${today.length > DONE ? html`<button class="entry more" @click=${() => look({ screen: 'work', work: null })}><span class="what alone">all ${today.length}</span></button>` : nothing}
      </section>
    `;
  }

  /** What changed since the moment that is looked at, in five lines. */
  private drawSince(): TemplateResult {
    const { now } = store;
    const since = store.live.lately.filter((one) => one.at > now && !isOver(one));
    return html`
      <section aria-labelledby="since">
        <h2 id="since">Since then</h2>
        ${since.length ? nothing : html`<p class="none">Nothing that is told here.</p>`}
        ${repeat(since.slice(-SINCE).reverse(), (one) => one.key, (one) => entry(one.mood === 'working' ? 'idle' : one.mood, one.text, clock(one.at, Date.now()), '', () => this.show(one.workspaceId), glyphOf(one)))}
        ${since.length > SINCE ? html`<p class="none">and ${since.length - SINCE} more</p>` : nothing}
      </section>
    `;
  }

  private drawLately(now: number): TemplateResult | TemplateResult[] {
    const all = store.org.lately.filter((one) => !isOver(one)).slice(0, LATELY);
    if (!all.length) return html`<p class="none">Nothing yet.</p>`;
    return html`${repeat(all, (one) => one.key, (one) =>
      entry(one.mood === 'working' ? 'idle' : one.mood, one.text, clock(one.at, now), '', () => this.show(one.workspaceId), glyphOf(one)))}`;
  }

  private drawApproval(approval: Approval, now: number): TemplateResult {
    const name = this.nameOf(approval.workspaceId);
    const busy = approval.state === 'sending' || !!store.past;
    const what = clip(approval.action, 100);
    return html`
      <article class="decide ${approval.state === 'decided' ? 'decided' : 'mood-needs'}" data-approval=${approval.id}>
        <button class="about" @click=${() => this.show(approval.workspaceId)}>
          <span class="glyph" aria-hidden="true">${approval.state === 'decided' ? '✓' : '▲'}</span>
          <span class="who" dir="auto">${name}</span><span class="time">${waiting(now - approval.at)}</span>
          <span class="what" dir="auto">${clip(approval.action, 300)}</span>
        </button>
        ${approval.reason ? html`<blockquote dir="auto">${clip(approval.reason, 400)}</blockquote>` : nothing}
        ${factsIn(approval.context).map(([key, value]) => html`<p class="fact" dir="auto"><span>${key}</span> ${value}</p>`)}
        ${approval.note ? html`<p class="refused">Not decided: ${approval.note}</p>` : nothing}
        ${approval.state === 'decided'
          ? html`<div class="buttons" role="status"><span>${approval.decision === 'denied' ? 'You said no' : 'Approved'}${approval.effectAt > now ? `, in ${Math.ceil((approval.effectAt - now) / 1000)} s` : ''}</span>
              ${approval.effectAt > now ? html`<button ?disabled=${!!store.past} aria-label="Take it back: ${what}, for ${name}" @click=${() => void store.undecide(approval)}>Undo</button>` : nothing}</div>`
          : html`<div class="buttons">
              <button class="primary" ?disabled=${busy} aria-label="Approve: ${what}, for ${name}" @click=${() => store.decide(approval, 'approved')}>Approve</button>
              <button ?disabled=${busy} aria-label="No: ${what}, for ${name}" @click=${() => store.decide(approval, 'denied')}>No</button>
              ${approval.state === 'sending' ? html`<span class="none">Deciding…</span>` : nothing}
            </div>`}
      </article>
    `;
  }

  /** Work in which an agent asks a person something: the question stands in its conversation. */
  private drawAsking(work: Work, now: number): TemplateResult {
    return html`
      <article class="decide mood-needs">
        <button class="about" @click=${() => look({ screen: 'work', work: work.id })}>
          <span class="glyph" aria-hidden="true">▲</span>
          <span class="who" dir="auto">${this.nameOf(work.to)}</span><span class="time">${waiting(now - Date.parse(work.created_at))}</span>
          <span class="what" dir="auto">asks you, for “${clip(work.title, 120)}”</span>
        </button>
        <div class="buttons"><button aria-label="Answer ${this.nameOf(work.to)}" @click=${() => { look({ tab: 'talk' }); this.show(work.to); }}>Answer</button></div>
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

/** What an agent told of what it wants to do: the arguments themselves, beside its own words. */
function factsIn(context: unknown): [string, string][] {
  if (!context || typeof context !== 'object') return [];
  return Object.entries(context).slice(0, FACTS).map(([key, value]) => [clip(key, 40), clip(typeof value === 'string' ? value : JSON.stringify(value) ?? '', 300)]);
}

/** What was under way: now as the platform says, then as its times say. */
function workAt(now: number): Work[] {
  if (!store.past) return works.list.filter((one) => one.state === 'working' || one.state === 'needs_you');
  return works.list.filter((one) => Date.parse(one.created_at) <= now && (!one.ended_at || Date.parse(one.ended_at) > now));
}

/** Work in which somebody asks a person, and not by an approval. */
export const questions = (): Work[] => (store.past ? [] : works.list.filter((one) => one.state === 'needs_you' && !hasApproval(one)));

/** Whether what it waits for stands among the approvals already: one of the agent that has it, or of those below. */
function hasApproval(work: Work): boolean {
  const agent = store.live.agents.get(work.to);
  const ids = new Set(agent ? branchOf(treeOf(store.live.agents), agent).map((one) => one.id) : []);
  return [...store.live.approvals.values()].some((one) => ids.has(one.workspaceId));
}

/** A recorded brain keeps its steps, so it may be killed to see that. */
const canLosePlug = (agent: Agent): boolean => !store.past && agent.runtime === 'rehearsed' && agent.parent_id !== null && agent.status === 'online' && /step \d+ of \d+/.test(agent.current_task);

const glyphOf = (happening: Happening): string => (happening.mood === 'idle' || happening.mood === 'working' ? '·' : MOODS[happening.mood].glyph);

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
