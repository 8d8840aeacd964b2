// What runs shows of each clause. It attests nothing: an attestation is the act of a person.
import { listMeasures } from '../../../domain/compliance/clause-measures.ts';
import { CATALOGUES, type Framework } from '../../../domain/compliance/frameworks.ts';
import {
  type Answer,
  type MeasuredFacts,
  joinAnswers,
  MEASURE_NAMES,
  MEASURES,
  WINDOW_DAYS,
} from '../../../domain/compliance/measures.ts';
import type { Context } from '../../../platform/context.ts';
import { loadFacts } from './facts.service.ts';
import type { ComplianceProofs } from './proofs.schemas.ts';

export async function loadProofs(ctx: Context, framework: Framework): Promise<ComplianceProofs> {
  return describeProofs(framework, await loadFacts(ctx));
}

export function describeProofs(framework: Framework, facts: MeasuredFacts): ComplianceProofs {
  const { version: catalogVersion, clauses } = CATALOGUES[framework];
  const measured = measureAll(facts);
  const judged = clauses.map(({ clauseId }) => {
    const measures = listMeasures(framework, clauseId);
    const answers = measures.map((measure) => measured.get(measure)?.answer ?? 'cannot-tell');
    return { clauseId, answer: joinAnswers(answers), measures: [...measures] };
  });
  const count = (answer: Answer): number => judged.filter((one) => one.answer === answer).length;
  const named = new Set(judged.flatMap(({ measures }) => measures));
  return {
    framework,
    catalogVersion,
    measuredAt: facts.now,
    windowDays: WINDOW_DAYS,
    summary: {
      shown: count('shown'),
      notShown: count('not-shown'),
      cannotTell: count('cannot-tell'),
    },
    clauses: judged,
    measures: [...measured.values()].filter(({ measure }) => named.has(measure)),
  };
}

function measureAll(facts: MeasuredFacts) {
  return new Map(
    MEASURE_NAMES.map((measure) => {
      const { title, page, source, judge } = MEASURES[measure];
      return [measure, { measure, title, ...judge(facts), page, source }] as const;
    }),
  );
}
