// Prints a policy as rule-language source and parses it back without loss (docs/reference/rule-language.md).
import {
  actionTypes,
  policyLimits,
  type Action,
  type ActionType,
  type Condition,
} from '../definition.ts';
import { parseExpression, printExpression, type JoinedConditions } from './expression.ts';
import { Lexer } from './lexer.ts';
import { parseLiteral, parseTextLiteral } from './literals.ts';
import {
  LOGICAL_OPERATORS,
  parseLogicalOperators,
  printLogicalOperators,
  withLogicalOperators,
} from './logical-operators.ts';
import { toSourceProblem, SourceError, sourceLimits, type SourceProblem } from './source.ts';

/** A policy as its source states it. */
export type PolicyText = {
  name: string;
  description: string;
  enabled: boolean;
  priority: number;
  conditions: Condition[];
  actions: Action[];
  observe?: boolean | undefined;
};

/** The source offset of each part of a policy, by the path that a problem names: `conditions.0.value`. */
export type Places = ReadonlyMap<string, number>;

export type ParsedPolicy = { policy: PolicyText; places: Places } | { problem: SourceProblem };

/** Prints a policy in its only layout. */
export function printPolicy(policy: PolicyText): string {
  const { name, description, enabled, priority, conditions, actions, observe } = policy;
  const clauses = [
    `policy ${JSON.stringify(name)}`,
    description === '' ? null : `description ${JSON.stringify(description)}`,
    priority === 1 ? null : `priority ${JSON.stringify(priority)}`,
    enabled ? null : 'disabled',
    observe === true ? 'observe' : null,
    conditions.length === 0 ? null : `when\n  ${printExpression(conditions)}`,
    printLogicalOperators(conditions),
    ...actions.map(printAction),
  ];
  return `${clauses.filter((clause) => clause !== null).join('\n')}\n`;
}

function printAction({ type, config }: Action): string {
  return config === undefined ? `then ${type}` : `then ${type} ${JSON.stringify(config)}`;
}

/** Parses a source, or returns its first problem; does not check whether such a policy may be saved. */
export function parsePolicy(source: string): ParsedPolicy {
  try {
    if (source.length > sourceLimits.characters)
      throw new SourceError(0, `more than ${sourceLimits.characters} characters`);
    return new PolicyParser(source).parse();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { problem: toSourceProblem(source, error.at, error.message) };
  }
}

const NO_CONDITIONS: JoinedConditions = { conditions: [], places: [], operators: [] };

class PolicyParser {
  readonly #lexer: Lexer;
  readonly #places = new Map<string, number>();
  readonly #policy: PolicyText = {
    name: '',
    description: '',
    enabled: true,
    priority: 1,
    conditions: [],
    actions: [],
  };
  #chain = NO_CONDITIONS;
  #logical: { writtenOperators: ReturnType<typeof parseLogicalOperators>; at: number } | null =
    null;

  constructor(source: string) {
    this.#lexer = new Lexer(source);
  }

  parse(): { policy: PolicyText; places: Places } {
    const lexer = this.#lexer;
    this.#clause('policy', () => this.#text('name'));
    while (lexer.lookAhead().kind !== 'end') {
      const clause = this.#clauses.get(lexer.lookAhead().text);
      if (clause === undefined)
        throw lexer.createUnexpectedError(`${[...this.#clauses.keys()].join(', ')} or the end`);
      this.#clause(lexer.lookAhead().text, clause);
    }
    if (this.#policy.actions.length === 0) throw lexer.createUnexpectedError('then and an action');
    this.#policy.conditions = withLogicalOperators(this.#chain, this.#logical);
    return { policy: this.#policy, places: this.#places };
  }

  readonly #clauses = new Map<string, () => void>([
    ['description', () => this.#text('description')],
    ['priority', () => this.#priority()],
    ['disabled', () => void (this.#policy.enabled = false)],
    ['observe', () => void (this.#policy.observe = true)],
    ['when', () => this.#when()],
    [LOGICAL_OPERATORS, () => this.#logicalOperators()],
    ['then', () => this.#then()],
  ]);

  /** Parses a clause; each but `then` may appear only once. */
  #clause(name: string, read: () => void): void {
    const { at } = this.#lexer.requireToken(name);
    if (this.#places.has(name) && name !== 'then')
      throw new SourceError(at, `${name} a second time`);
    this.#places.set(name, at);
    read();
  }

  #text(member: 'name' | 'description'): void {
    this.#places.set(member, this.#lexer.lookAhead().at);
    this.#policy[member] = parseTextLiteral(this.#lexer);
  }

  #priority(): void {
    const { kind, text, at } = this.#lexer.lookAhead();
    if (kind !== 'number') throw this.#lexer.createUnexpectedError('a number');
    this.#places.set('priority', at);
    this.#policy.priority = Number(text);
    this.#lexer.takeToken();
  }

  #when(): void {
    this.#chain = parseExpression(this.#lexer);
    for (const [i, { field, value }] of this.#chain.places.entries()) {
      this.#places.set(`conditions.${i}.field`, field);
      this.#places.set(`conditions.${i}.value`, value);
    }
  }

  #logicalOperators(): void {
    const { at } = this.#lexer.lookAhead();
    this.#logical = { writtenOperators: parseLogicalOperators(this.#lexer), at };
  }

  #then(): void {
    const lexer = this.#lexer;
    const { actions } = this.#policy;
    const { text, at } = lexer.lookAhead();
    const type = actionTypes.find((known) => known === text);
    if (type === undefined)
      throw lexer.createUnexpectedError(`an action: ${actionTypes.join(', ')}`);
    if (actions.length === policyLimits.actions)
      throw new SourceError(at, `more than ${policyLimits.actions} actions`);
    this.#places.set(`actions.${actions.length}`, at);
    lexer.takeToken();
    actions.push(this.#action(type));
  }

  #action(type: ActionType): Action {
    if (!this.#lexer.isNext('{')) return { type };
    this.#places.set(`actions.${this.#policy.actions.length}.config`, this.#lexer.lookAhead().at);
    return { type, config: parseLiteral(this.#lexer) as NonNullable<Action['config']> };
  }
}
