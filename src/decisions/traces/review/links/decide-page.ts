// The pages of a link: plain HTML without scripts, for a phone; every text is escaped, and hidden characters show.
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@assay/json';
import {
  formatTime,
  type HeldCard,
  toApprovalsText,
  toReviewPage,
} from '../../../../domain/events/decision-card.ts';
import { escapeHtml } from '../../../../domain/names/escape-html.ts';
import { toVisibleLines } from '../../../../domain/names/plain-text.ts';
import { readOccasion } from '../../../../domain/record/input-context.ts';

/** A page; each is answered with 200, also when there is nothing to decide. */
export interface LinkPage {
  title: string;
  /** HTML. */
  body: string;
}

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.3rem}
pre{white-space:pre-wrap;border:1px solid;border-radius:.3rem;padding:.6rem;unicode-bidi:isolate}
dt{font-weight:600}dd{margin:0 0 .5rem}
input,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin:.2rem 0 .8rem}
button{font:inherit;min-height:3rem;padding:.5rem 1.2rem;margin:0 .6rem .6rem 0}
`;
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** No script, nothing from elsewhere, no frame; forms go to this server alone. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** Text of others as HTML; hidden characters are shown by their code. */
const toHtml = (text: string): string => escapeHtml(toVisibleLines(text));

/** A file that the browser shows. */
interface PageFile {
  type: string;
  filename: null;
  body: string;
}

export function renderPage({ title, body }: LinkPage): PageFile {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${toHtml(title)} \u2013 Assay</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${toHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
  return { type: 'text/html; charset=utf-8', filename: null, body: html };
}

const createParagraph = (text: string): string => `<p>${toHtml(text)}</p>`;

const toConsoleLink = (traceId: string): string =>
  `<p><a href="${toReviewPage(encodeURIComponent(traceId))}">Open it in the console</a></p>`;

/** A page that says one thing, with a link to the console where that helps. */
export function createMessagePage(
  title: string,
  { text, traceId }: { text: string; traceId?: string },
): LinkPage {
  const more = traceId === undefined ? '' : toConsoleLink(traceId);
  return { title, body: createParagraph(text) + more };
}

const OUTCOMES: Readonly<Record<string, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  withdrawn: 'Withdrawn by the agent',
};

/** What was decided, by whom. */
export function createOutcomePage({ review, traceId }: HeldCard, by: string | null): LinkPage {
  const outcome = OUTCOMES[review.status] ?? review.status;
  const person = by === null ? '' : ` by ${by}`;
  const at = review.decidedAt ? `, ${formatTime(review.decidedAt)}` : '';
  const text = `${outcome}${person}${at}.`;
  return createMessagePage(outcome, { text, traceId });
}

interface SignInForm {
  token: string;
  traceId: string;
  /** What was wrong the last time. */
  problem: string | null;
  /** Whether the password was right, and the code is asked for. */
  needsCode: boolean;
}

/** The page of a holder who has not signed in: it shows nothing of the decision. */
export function createSignInPage({ token, traceId, problem, needsCode }: SignInForm): LinkPage {
  const fields = needsCode
    ? `<label>Code of your authenticator<input name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="32"></label>`
    : `<label>E-mail address<input name="email" type="email" autocomplete="username" required maxlength="254"></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required maxlength="1024"></label>`;
  const body = `<p>A held decision waits for a person. Sign in to see it.</p>
${createAlert(problem)}<form method="post" action="/decide/${encodeURIComponent(token)}/sign-in">
${fields}
<button type="submit">Sign in</button>
</form>
<p>You sign in by your organisation\u2019s sign-on? Use the console.</p>
${toConsoleLink(traceId)}`;
  return { title: 'Sign in to decide', body };
}

const createAlert = (problem: string | null): string =>
  problem === null ? '' : `<p role="alert">${toHtml(problem)}</p>`;

const createFact = (name: string, value: string): string =>
  `<dt>${toHtml(name)}</dt><dd>${toHtml(value)}</dd>`;
const createBlock = (name: string, value: string): string =>
  `<h2>${toHtml(name)}</h2><pre dir="auto">${toHtml(value)}</pre>`;

const PROMPT_MAX = 20_000;
const ACTION_MAX = 20_000;

const limitText = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}\n[cut here: the console shows the rest]` : text;

/** The prompt, or what began the decision where no one asked. */
function createOccasion(inputContext: Json): string {
  const occasion = readOccasion(inputContext);
  if (occasion === null) return '';
  const text = typeof occasion === 'string' ? occasion : JSON.stringify(occasion, null, 2);
  const { prompt = null } = inputContext as JsonObject;
  return createBlock(prompt === null ? 'Begun by' : 'Prompt', limitText(text, PROMPT_MAX));
}

/** An action that is too long to be shown whole is not decided here. */
export const isShownWhole = ({ action }: HeldCard): boolean => (action?.length ?? 0) <= ACTION_MAX;

/** The decision, and the form that decides it. */
export function createDecisionPage(
  card: HeldCard,
  { token, person, problem }: { token: string; person: string; problem: string | null },
): LinkPage {
  const { agent, action, confidence, policy, rationale, inputContext, review, traceId } = card;
  const facts = [
    createFact('Agent', agent),
    createFact('Confidence', String(confidence)),
    review.approvals ? createFact('Approvals', toApprovalsText(review.approvals)) : '',
    createFact('Priority', review.priority),
    policy ? createFact('Held by the policy', policy.name) : '',
    policy && policy.reason !== '' ? createFact('Why', policy.reason) : '',
    review.deadline ? createFact('Decide by', formatTime(review.deadline)) : '',
  ].join('\n');
  const form = `<form method="post" action="/decide/${encodeURIComponent(token)}">
<label>Reason<textarea name="reason" rows="3" maxlength="1000"></textarea></label>
<button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="reject">Reject</button>
</form>`;
  const body = `${createAlert(problem)}${createBlock('Action', action === null ? 'not kept' : limitText(action, ACTION_MAX))}
<dl>
${facts}
</dl>
${createOccasion(inputContext)}
${rationale === null ? '' : createBlock('The agent\u2019s reasons', limitText(rationale, PROMPT_MAX))}
${isShownWhole(card) ? form : createParagraph('The action is too long to be shown whole here. Decide in the console.')}
<p>You decide as ${toHtml(person)}. The verdict is final.</p>
${toConsoleLink(traceId)}`;
  return { title: 'Approve or reject?', body };
}
