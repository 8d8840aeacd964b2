// ISO/IEC 42001:2023, an AI management system: eighteen clauses; 7 and 9 are attested as a whole.
import { type Catalogue, parseClauses } from './clause.ts';

export const iso42001: Catalogue = {
  version: 'iso-42001-2023.1',
  source: 'ISO/IEC 42001:2023',
  clauses: parseClauses(`
    4.1 | Organisation and context | The inside and outside circumstances that bear on how AI is used are known.
    4.2 | Interested parties | It is known who has a stake in the AI systems, and what they need.
    4.3 | Scope | What the management system covers is drawn and written down.
    4.4 | AI management system | The system as a whole is set up, run and kept improving.
    5.1 | Leadership | The top of the organisation stands behind responsible AI and gives it means.
    5.2 | AI policy | A written policy says what the organisation wants and will not do with AI.
    5.3 | Roles and responsibilities | It is settled who answers for what.
    6.1 | Risks and opportunities | Risks of AI are identified, assessed and treated by a repeatable method.
    6.2 | AI objectives | Goals are set that can be measured, with plans to reach them.
    6.3 | Planning of changes | Changes to the system are made in a planned way.
    7 | Support | Means, competence, awareness, communication and documents are there.
    8.1 | Operational control | Processes run as planned, and what deviates is dealt with.
    8.2 | AI risk assessment | Risks are assessed at planned times and when things change, with records.
    8.3 | AI risk treatment | The treatment plan is carried out and its effect is checked.
    8.4 | AI system impact assessment | What a system does to people and society is assessed, with records.
    9 | Performance evaluation | It is measured, audited within and reviewed by management.
    10.1 | Continual improvement | The system gets better over time.
    10.2 | Nonconformity and corrective action | What goes wrong is corrected, and so are its causes.
  `),
};
