// Regulation (EU) 2024/1689, the AI Act: the duties around high-risk systems that an organisation attests.
import { type Catalogue, parseClauses } from './clause.ts';

export const euAiAct: Catalogue = {
  version: 'eu-ai-act-2024.1',
  source: 'Regulation (EU) 2024/1689',
  clauses: parseClauses(`
    Art.4 | AI literacy | People who work with the systems know enough about them.
    Art.5 | Prohibited practices | None of the forbidden uses takes place.
    Art.6 | Classification | It is determined and recorded which systems are high-risk.
    Art.9 | Risk management | A risk process accompanies each high-risk system all its life.
    Art.10 | Data and data governance | Training, validation and test data are governed and fit for their purpose.
    Art.11 | Technical documentation | Documents show that the requirements are met, and are kept current.
    Art.12 | Record-keeping | The system logs its events by itself, so that they can be traced.
    Art.13 | Transparency to deployers | Deployers get instructions that let them understand the output.
    Art.14 | Human oversight | People can watch, understand, overrule and stop the system.
    Art.15 | Accuracy, robustness, cybersecurity | The system performs as declared and withstands errors and attacks.
    Art.17 | Quality management | The provider has a documented quality system.
    Art.18 | Keeping of documentation | Documents stay available to authorities for ten years.
    Art.19 | Keeping of logs | Logs that the system makes are kept for as long as required.
    Art.20 | Corrective action | Systems that do not conform are corrected, withdrawn or recalled, and those concerned are informed.
    Art.26 | Duties of deployers | Systems are used as instructed, watched by competent people, with logs kept.
    Art.27 | Fundamental-rights impact assessment | The effect on fundamental rights is assessed before first use.
    Art.43 | Conformity assessment | The right procedure was carried out before the market was entered.
    Art.49 | Registration | Provider, deployer and system are in the EU database where required.
    Art.50 | Transparency to people | People know that they deal with AI, and generated content is marked.
    Art.72 | Post-market monitoring | Performance in use is gathered and evaluated by a plan.
    Art.73 | Serious incidents | Serious incidents reach the authority within their deadlines.
    Art.86 | Explanation of decisions | Affected people can get an explanation of a decision.
  `),
};
