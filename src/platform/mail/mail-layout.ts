// Renders mail as HTML and as plain text, from the same content.
import { Eta } from 'eta';
import type { Mail } from './mailer.ts';

export interface MailContent {
  to: string;
  subject: string;
  /** Plain sentences; escaped in HTML. */
  paragraphs: readonly string[];
  /** A button, the same link as text, and the token itself, where there is one, for callers of the API. */
  action: { label: string; link: string; token: string | null } | null;
  attachment?: Mail['attachment'];
}

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title><%= it.subject %></title></head>
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1a1a1a;background:#fff">
<div style="max-width:36em;margin:0 auto">
<h1 style="font-size:20px"><%= it.subject %></h1>
<% for (const paragraph of it.paragraphs) { %>
<p><%= paragraph %></p>
<% } %>
<% if (it.action) { %>
<p><a href="<%= it.action.link %>" style="display:inline-block;padding:10px 18px;background:#1a1a1a;color:#fff;text-decoration:none;border-radius:4px"><%= it.action.label %></a></p>
<p>If the button does not work, open this address:<br><%= it.action.link %></p>
<% if (it.action.token !== null) { %>
<p>For the API, the token is:<br><code><%= it.action.token %></code></p>
<% } %>
<% } %>
</div>
</body>
</html>
`;

const TEXT = `<%~ it.subject %>


<% for (const paragraph of it.paragraphs) { %>
<%~ paragraph %>


<% } %>
<% if (it.action) { %>
<%~ it.action.label %>:
<%~ it.action.link %>

<% if (it.action.token !== null) { %>

For the API, the token is:
<%~ it.action.token %>

<% } %>
<% } %>
`;

const eta = new Eta();

/** The mail library folds line breaks in a subject. */
export function renderMail(content: MailContent): Mail {
  const { to, subject, attachment } = content;
  const render = (template: string): string => eta.renderString(template, content);
  return { to, subject, text: render(TEXT), html: render(HTML), attachment };
}
