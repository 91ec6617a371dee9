import { html, nothing, type TemplateResult } from 'lit';
import './plan.css';
import { repeat } from './repeat';
import { mayRule } from './rights';
import { clip, count, runsOn } from './words';

/** What an import would make, before anything is made: `POST /org/import?dry_run=1`. */

type Wanted = string | { any_of: string[] };

export interface Plan {
  /** Said by every platform that knows what a preview is. */
  dry_run?: boolean;
  org: string;
  description: string;
  workspaces: { name: string; role: string | null; parent: number | null; runtime: string; model: string | null; external: boolean; plugins: string[] }[];
  count: number;
  warnings: string[];
  missing_env: Wanted[];
  missing_recommended_env: Wanted[];
}

const SHOWN = 200;
const TOLD = 20;
/** Deeper ones stand below each other. */
const DEPTH_MAX = 5;

/** The names of which one is enough. */
export const namesOf = (wanted: Wanted): string[] => (typeof wanted === 'string' ? [wanted] : wanted.any_of);

export function depthsOf(plan: Plan): number[] {
  const depths: number[] = [];
  plan.workspaces.forEach((one, i) => (depths[i] = one.parent === null ? 0 : (depths[one.parent] ?? 0) + 1));
  return depths;
}

/** Fields named `secret:<NAME>` take what is missing. */
export function drawPlan(plan: Plan): TemplateResult {
  const depths = depthsOf(plan);
  return html`
    <div class="plan">
      <h3 dir="auto">${clip(plan.org, 80)} <span class="none">${count(plan.count, 'agent')}</span></h3>
      ${plan.description ? html`<p class="none" dir="auto">${clip(plan.description, 300)}</p>` : nothing}
      <ul class="rows" tabindex="0" aria-label="Who would be there">${plan.workspaces.slice(0, SHOWN).map((one, i) => html`<li data-depth=${Math.min(depths[i]!, DEPTH_MAX)}>
        <b dir="auto">${clip(one.name, 60)}</b> <span class="none" dir="auto">${one.role ? `${clip(one.role, 100)} · ` : ''}${one.external ? 'you connect it' : runsOn(one.runtime)}${one.plugins.length ? ` · ${one.plugins.map((plugin) => clip(plugin, 40)).join(', ')}` : ''}</span></li>`)}</ul>
      ${plan.count > SHOWN ? html`<p class="none">and ${plan.count - SHOWN} more</p>` : nothing}
      ${plan.missing_env.length ? html`<p class="lacks"><b aria-hidden="true">▲</b> ${count(plan.missing_env.length, 'secret')} missing${mayRule() ? '. Encrypted, for every agent:' : `, which an owner can give: ${plan.missing_env.slice(0, TOLD).map((wanted) => namesOf(wanted).join(' or ')).join(', ')}`}</p>
        ${!mayRule() ? nothing : repeat(plan.missing_env.slice(0, TOLD), (wanted) => namesOf(wanted)[0], (wanted) => html`<label>${namesOf(wanted).join(' or ')} <input name="secret:${namesOf(wanted)[0]}" type="password" autocomplete="off" maxlength="60000" /></label>`)}` : nothing}
      ${plan.missing_recommended_env.length ? html`<p class="none">Better with ${plan.missing_recommended_env.slice(0, TOLD).map((wanted) => namesOf(wanted).join(' or ')).join(', ')}, but not needed.</p>` : nothing}
      ${plan.warnings.length ? html`<ul class="warnings">${plan.warnings.slice(0, TOLD).map((one) => html`<li dir="auto">${clip(one, 300)}</li>`)}</ul>` : nothing}
    </div>
  `;
}
