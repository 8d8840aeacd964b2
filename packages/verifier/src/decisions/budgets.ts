// Adds up what a document shows of limits: no act passes one, and each act reserves what its limits count.
import type { Shown } from '../disclosures.ts';
import { isMembers, type Members, type Value } from '../text.ts';
import type { View } from '../view.ts';
import { findPermitter } from './halts.ts';

/** Hours of each window; `ever` has no end. */
const WINDOWS: ReadonlyMap<unknown, number> = new Map([
  ['1h', 1],
  ['24h', 24],
  ['7d', 168],
  ['30d', 720],
]);
const SLOTS = 24;
const HOUR_MS = 3_600_000;
const PLACES = 9;
const DECIMAL = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,9})?$/;
/** Sums that are followed at a time; beyond them nothing is said of what came before. */
const SUMS_MAX = 100_000;

interface Spending {
  key: string;
  window: unknown;
  slot: number | null;
  amount: bigint;
}

/** The sums of a document. What was spent before its first entry is not known, so a sum is never too large. */
export class Budgets {
  /** Amounts by the part of their window, by key. */
  private readonly sums = new Map<string, Map<number, bigint>>();

  /** Adds the next entry, sealed at `createdAt`; returns its fault, or null. */
  addEntry(view: View, createdAt: string, shown: ReadonlyMap<string, Shown>): string | null {
    if (!Object.hasOwn(view.commitments, 'state')) return null;
    const state = readObject(shown.get('state'));
    const spends = state && readSpends(state['spends'] ?? []);
    // What is withheld may give something back: from here on it counts from zero again.
    if (!state || !spends || this.sums.size + spends.length > SUMS_MAX) {
      this.sums.clear();
      return null;
    }
    const time = Date.parse(createdAt);
    for (const one of spends) this.addSpending(one, time);
    return this.findFault(view, { limits: state['limits'], spends }, shown);
  }

  private addSpending({ key, window, slot, amount }: Spending, time: number): void {
    const hours = WINDOWS.get(window);
    const length = hours === undefined ? null : (hours * HOUR_MS) / SLOTS;
    const at = slot ?? (length === null ? 0 : Math.floor(time / length));
    const slots = this.sums.get(key) ?? new Map<number, bigint>();
    slots.set(at, (slots.get(at) ?? 0n) + amount);
    if (length !== null)
      for (const other of slots.keys())
        if ((other + 1 + SLOTS) * length <= time) slots.delete(other);
    this.sums.set(key, slots);
  }

  private findFault(
    view: View,
    { limits, spends }: { limits: Value | undefined; spends: readonly Spending[] },
    shown: ReadonlyMap<string, Shown>,
  ): string | null {
    const by = view.kind === 'execution' ? null : findPermitter(view, shown);
    if (by === null || !Array.isArray(limits)) return null;
    const reserved = new Set(spends.map(({ key }) => key));
    for (const limit of limits as { [name: string]: Value }[]) {
      const { key, policy, type, most, amount } = limit;
      if (amount !== null && !reserved.has(String(key)))
        return `it reserves nothing of the limit of the policy ${String(policy)}`;
      const binds = by === 'policy' || type === 'block';
      if (binds && this.sum(String(key)) > toUnits(most))
        return `it passes the limit of the policy ${String(policy)}`;
    }
    return null;
  }

  private sum(key: string): bigint {
    let total = 0n;
    for (const amount of this.sums.get(key)?.values() ?? []) total += amount;
    return total;
  }
}

function readObject(shown: Shown | undefined): Members | null {
  const value = shown?.whole === true ? shown.values[0]?.value : undefined;
  return isMembers(value) ? value : null;
}

/** Null: they are not of the form. */
function readSpends(value: Value): Spending[] | null {
  if (!Array.isArray(value)) return null;
  const spends: Spending[] = [];
  for (const one of value as { [name: string]: Value }[]) {
    const { key, window, slot = null, amount } = Object(one) as { [name: string]: Value };
    if (typeof key !== 'string' || typeof amount !== 'string' || !DECIMAL.test(amount)) return null;
    if (slot !== null && !Number.isSafeInteger(slot)) return null;
    spends.push({ key, window, slot: slot as number | null, amount: parseUnits(amount) });
  }
  return spends;
}

function parseUnits(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -units : units;
}

/** A limit has nine places at most; of another value nothing is said. */
function toUnits(most: Value | undefined): bigint {
  const isKnown = typeof most === 'number' && most >= 0 && most <= 1e15;
  return isKnown ? parseUnits(most.toFixed(PLACES)) : parseUnits('9'.repeat(20));
}
