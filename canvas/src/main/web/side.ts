import { html, nothing, type TemplateResult } from 'lit';
import { pullPlug } from './actions';
import { census } from './census';
import { factsOf } from './facts';
import { stateOf } from './held';
import type { Agent, Happening } from './model';
import { drawNeeds, needTitle, needsCount } from './needs';
import { repeat } from './repeat';
import { drawReturning } from './returning';
import { mayAct } from './rights';
import { drawComing } from './schedules';
import './side.css';
import { store } from './store';
import { Part, look, view } from './view';
import { works, type Work } from './work';
import { STATES, costOf } from './works';
import { MOODS, clip, clock, elapsed, taskWords, type Mood } from './words';

const SHOWN = 20;
const LATELY = 8;
const DONE = 4;
const SINCE = 5;

/** What moves: what needs a person, who works, what happened lately. */
class Side extends Part {
  override render(): TemplateResult {
    works.recall();
    const { org, now } = store;
    const under = workAt(now);
    const led = new Set(under.map((work) => work.to)); // what they do stands beside their work
    const working = census().working.filter((agent) => !led.has(agent.id));
    const needs = needsCount();
    return html`
      ${drawReturning()}
      ${view.screen === 'needs' ? nothing : html`<section aria-labelledby="needs">
        <h2 id="needs" class=${needs ? 'mood-needs' : ''}>${needTitle()}${needs ? html` <span>${needs}</span>` : nothing}</h2>
        ${drawNeeds(now)}
      </section>`}
      <section aria-labelledby="working">
        <h2 id="working">Running${under.length || working.length ? html` <span>${under.length || working.length}</span>` : nothing}</h2>
        ${under.length + working.length ? nothing : html`<p class="none">${store.past ? 'Nothing was running.' : 'Nothing is running.'}</p>`}
        ${repeat(under.slice(0, SHOWN), (one) => one.id, (one) => this.drawWork(one, now))}
        ${more(under.length, Math.min(under.length, SHOWN))}
        ${repeat(working.slice(0, SHOWN), (one) => one.id, (one) => {
          const facts = factsOf(org, one, now);
          return html`${entry('working', facts.now === 'working' ? '' : facts.now, facts.time, facts.name, () => this.show(one.id))}
            ${canLosePlug(one) ? html`<button class="plug" @click=${() => void pullPlug(one)}>Kill agent</button>` : nothing}`;
        })}
        ${more(working.length, Math.min(working.length, SHOWN))}
      </section>
      ${drawComing(now)}
      ${store.past ? this.drawSince() : this.drawDone(now)}
      <section aria-labelledby="lately">
        <h2 id="lately">${store.past ? 'Before' : 'Recent activity'}</h2>
        ${this.drawLately(now)}
      </section>
    `;
  }

  private drawWork(work: Work, now: number): TemplateResult {
    const state = stateOf(work) === 'needs_you' && !store.past ? STATES.needs_you : work.ended_at && !store.past ? STATES[work.state] : STATES.working;
    const took = elapsed((work.ended_at && !store.past ? Date.parse(work.ended_at) : now) - Date.parse(work.created_at));
    return html`
      <button class="entry work mood-${state.mood}" @click=${() => look({ screen: 'work', work: work.id })}>
        <span class="glyph" aria-hidden="true">${state.glyph}</span>
        <span class="who" dir="auto">${clip(work.title, 80)}</span>
        <span class="time">${took}</span>
        <span class="what" dir="auto">${[this.doing(work), costOf(work)].filter((part) => part).join(' · ')}</span>
      </button>
    `;
  }

  /** Who has it, and what they do now. */
  private doing(work: Work): string {
    const several = workAt(store.now).filter((one) => one.to === work.to).length > 1; // then it is not known which of them that is
    const task = several ? '' : store.org.agents.get(work.to)?.current_task;
    return this.nameOf(work.to) + (task && !work.ended_at && task !== work.title ? `: ${taskWords(task, 60)}` : '');
  }

  private drawDone(now: number): TemplateResult | typeof nothing {
    const today = works.list.filter((one) => one.ended_at && new Date(one.ended_at).toDateString() === new Date(now).toDateString());
    if (!today.length) return nothing;
    return html`
      <section aria-labelledby="done">
        <h2 id="done">${today.every((one) => one.state === 'done') ? 'Completed' : 'Finished'} today <span>${today.length}</span></h2>
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
        <h2 id="since">After</h2>
        ${since.length ? nothing : html`<p class="none">Nothing recorded.</p>`}
        ${repeat(since.slice(-SINCE).reverse(), (one) => one.key, (one) => entry(one.mood === 'working' ? 'idle' : one.mood, one.text, clock(one.at, Date.now()), '', () => this.tell(one), glyphOf(one)))}
        ${since.length > SINCE ? html`<p class="none">and ${since.length - SINCE} more</p>` : nothing}
      </section>
    `;
  }

  private drawLately(now: number): TemplateResult | TemplateResult[] {
    const paused = new Set<string>(); // a pause before the last one is over, too
    const isNews = (one: Happening): boolean => !isOver(one) && !(one.mood === 'paused' && (paused.has(one.text) || !paused.add(one.text)));
    const all = store.org.lately.filter(isNews).slice(0, LATELY);
    if (!all.length) return html`<p class="none">Nothing yet.</p>`;
    return html`${repeat(all, (one) => one.key, (one) =>
      entry(one.mood === 'working' ? 'idle' : one.mood, one.text, clock(one.at, now), '', () => this.tell(one), glyphOf(one)))}`;
  }

  private nameOf(id: string): string {
    return clip(store.org.agents.get(id)?.name ?? 'Deleted agent', 60);
  }

  private tell(one: Happening): void {
    if (one.missed) look({ screen: 'needs', waits: one.missed, selected: null });
    else this.show(one.workspaceId);
  }

  private show(id: string): void {
    if (store.org.agents.has(id)) look({ selected: id, talkTo: id, tab: view.tab });
  }
}

/** What was under way: now as the platform says, then as its times say. */
function workAt(now: number): Work[] {
  if (!store.past) return works.list.filter((one) => one.state === 'working' || one.state === 'needs_you');
  return works.list.filter((one) => Date.parse(one.created_at) <= now && (!one.ended_at || Date.parse(one.ended_at) > now));
}

/** A recorded brain keeps its steps, so it may be killed to see that. */
const canLosePlug = (agent: Agent): boolean => !store.past && mayAct(agent.id) && agent.runtime === 'rehearsed' && agent.parent_id !== null && agent.status === 'online' && /step \d+ of \d+/.test(agent.current_task);

const glyphOf = (happening: Happening): string => (happening.mood === 'idle' || happening.mood === 'working' ? '·' : MOODS[happening.mood].glyph);

/** A pause that ended, and a silence that turned out to be a failed start, are no news: every import begins paused. */
function isOver(happening: Happening): boolean {
  const status = store.org.agents.get(happening.workspaceId)?.status;
  return (happening.mood === 'paused' && status !== 'paused') || (happening.mood === 'asleep' && status !== 'hibernated') || (happening.mood === 'away' && status === 'failed');
}

const more = (all: number, shown: number): TemplateResult | typeof nothing => (all > shown ? html`<p class="none">and ${all - shown} more; search for “failed” or “needs”</p>` : nothing);

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
