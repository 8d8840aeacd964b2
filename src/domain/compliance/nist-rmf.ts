// NIST AI 100-1, the AI Risk Management Framework: the nineteen categories of its four functions.
import { type Catalogue, parseClauses } from './clause.ts';

export const nistRmf: Catalogue = {
  version: 'nist-ai-rmf-1.0.1',
  source: 'NIST AI 100-1',
  clauses: parseClauses(`
    GOVERN-1 | Policies and processes | Rules for mapping, measuring and managing AI risk exist and are lived.
    GOVERN-2 | Accountability | Teams and people are responsible, trained and empowered.
    GOVERN-3 | Diversity and inclusion | Many perspectives take part in decisions about risk.
    GOVERN-4 | Culture of risk | Teams think of risk and talk about it.
    GOVERN-5 | Engagement | People outside are heard, and what they say is used.
    GOVERN-6 | Third parties | Risks of bought software, data and models are covered.
    MAP-1 | Context | The setting of the system, its purpose and its users are understood.
    MAP-2 | Categorisation | It is established what kind of system it is and what it does.
    MAP-3 | Benefits and costs | Capabilities, goals, gains and costs are compared with those of others.
    MAP-4 | Risks of components | Risks and gains are mapped for every part, third-party ones included.
    MAP-5 | Impacts | What it does to people, groups and society is characterised.
    MEASURE-1 | Methods and metrics | Fitting ways to measure are chosen and applied.
    MEASURE-2 | Trustworthiness | Systems are tested for the traits that make them trustworthy.
    MEASURE-3 | Tracking | Known and emerging risks are followed over time.
    MEASURE-4 | Feedback on measurement | It is checked whether the measuring works.
    MANAGE-1 | Prioritised response | Risks are ranked and answered according to what was found.
    MANAGE-2 | Strategies | Plans to raise benefits and lower harm are made, carried out and documented.
    MANAGE-3 | Third-party risks | Risks from third parties are managed.
    MANAGE-4 | Treatment and monitoring | Responses, recovery and communication are documented and watched.
  `),
};
