// Serves the page that a sign-on ends on where no front end is configured: it says how it ended, and runs no script.
import { Router } from 'express';
import { SIGNED_ON_PATH } from '../../domain/identity/redirect-allow-list.ts';
import { escapeHtml } from '../../domain/names/escape-html.ts';
import { registry } from '../../errors.ts';

/** The style sheet, served from this path: the page loads nothing else and sends nothing. */
const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem}';
const POLICY =
  "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

interface Ending {
  title: string;
  text: string;
}

const SIGNED_ON: Ending = {
  title: 'You have come back',
  text: 'No error was reported. If you were signing on, an application of this installation can now fetch your session; if you were logging out, you have been logged out. You may close this window.',
};
const SECOND_STEP: Ending = {
  title: 'One more step',
  text: 'Your identity provider has vouched for you. Your organisation asks for a code of your authenticator as well: enter it in the application that you came from.',
};

const TESTED: Ending = {
  title: 'The test is complete',
  text: 'No one was signed in, and nothing was changed. The settings of the sign-on show what your identity provider sent. You may close this window.',
};

/** Advice by error code; other codes show their meaning. */
const ADVICE = new Map(
  Object.entries({
    FORBIDDEN:
      'You are not admitted. Your organisation\u2019s administrators find the reason in the audit log.',
    CONFLICT:
      'The member with your e-mail address is linked to another person at the identity provider. An owner of your organisation can unlink them.',
    INVALID_TOKEN:
      'This login was not begun in this browser, or has been completed before. Begin again, and allow cookies.',
    EXPIRED: 'The login took longer than ten minutes. Begin again.',
    TOKEN_VERIFICATION_FAILED:
      'What the identity provider sent was not accepted. Your organisation\u2019s administrators find the reason in the audit log.',
    IDENTITY_PROVIDER_UNAVAILABLE: 'The identity provider cannot be reached. Try again later.',
    ACCOUNT_DEACTIVATED: 'Your membership is suspended. Ask an administrator of your organisation.',
  }),
);

/** Describes a failure; an unknown code is not shown, since any link can contain one. */
function describeFailure(code: string): Ending {
  const known = Object.hasOwn(registry, code);
  const meaning = known ? registry[code as keyof typeof registry].meaning : 'Unknown error';
  return {
    title: 'The sign-on did not succeed',
    text: `${ADVICE.get(code) ?? `${meaning}.`}${known ? ` (${code})` : ''}`,
  };
}

function describeEnding({ error, ssoMfa, ssoTest }: Record<string, unknown>): Ending {
  if (typeof error === 'string') return describeFailure(error);
  if (typeof ssoTest === 'string') return TESTED;
  return ssoMfa === '1' ? SECOND_STEP : SIGNED_ON;
}

const renderPage = ({ title, text }: Ending): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} \u2013 Assay</title>
<link rel="stylesheet" href="${SIGNED_ON_PATH}/style.css">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</html>
`;

export function serveSignedOnPage(): Router {
  const router = Router();
  router.get(SIGNED_ON_PATH, (req, res) => {
    res.setHeader('Content-Security-Policy', POLICY);
    res.type('html').send(renderPage(describeEnding(req.query)));
  });
  router.get(`${SIGNED_ON_PATH}/style.css`, (_req, res) => void res.type('css').send(STYLE));
  return router;
}
