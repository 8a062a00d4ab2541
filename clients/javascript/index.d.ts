/** A plan, as its JSON has it: what `JSON.parse` returns. It is checked when it is used. */
export type PlanDescription = object;

interface Sided {
  /** Return −1 for a value below the domain, 1 for one above it, and else 0. */
  side(value: number | string): -1 | 0 | 1;
}

interface AnyDomain<Value> {
  /** The number of bins. */
  readonly bins: number;
  /** The least value. */
  readonly low: Value;
  /** The greatest value. */
  readonly high: Value;
  /** Return the bin of a value; a value outside the domain throws a DomainError. */
  index(value: number | string): number;
  /** Return a bin's name for people. */
  label(index: number): string;
}

/** Whole numbers, both ends included, one bin each. */
export interface IntegersDomain extends AnyDomain<number>, Sided {
  readonly kind: "integers";
  readonly step: 1;
}

/** Numbers in bins of equal width ("real") or of equal ratio ("logarithmic"). */
export interface ContinuousDomain extends AnyDomain<number>, Sided {
  readonly kind: "real" | "logarithmic";
  readonly step: "any";
}

/** Days, both ends included, as texts such as "2026-01-31". */
export interface DatesDomain extends AnyDomain<string>, Sided {
  readonly kind: "dates";
}

/** Labels, in a given order ("ordered") or in none ("categories"). */
export interface OrderedDomain extends AnyDomain<string> {
  readonly kind: "ordered" | "categories";
  readonly labels: readonly string[];
}

/** Numbers or days with a bin for all that lies beyond an end. The bin's name, such as "more than 120", is its value. */
export interface OpenEndsDomain extends AnyDomain<number | string> {
  readonly kind: "open_ends";
  readonly inside: IntegersDomain | ContinuousDomain | DatesDomain;
  /** The name of the first bin, if the low end is open. */
  readonly before?: string;
  /** The name of the last bin, if the high end is open. */
  readonly after?: string;
}

/** Values of which people may give none: "no answer" is one more bin, the last, and its value, as is null. */
export interface NoAnswerDomain extends AnyDomain<number | string> {
  readonly kind: "no_answer";
  readonly inside: IntegersDomain | ContinuousDomain | DatesDomain | OrderedDomain | OpenEndsDomain;
  readonly after: "no answer";
  index(value: number | string | null): number;
  /** Of labels: all of them, and "no answer". */
  readonly labels?: readonly string[];
}

/** The domain of one attribute. */
export type AttributeDomain = IntegersDomain | ContinuousDomain | DatesDomain | OrderedDomain | OpenEndsDomain;

/** Several attributes, with a value in each. */
export interface ProductDomain {
  readonly kind: "product";
  /** The number of combinations of bins; rounded where it is beyond 2**53. */
  readonly bins: number;
  /** The attributes' names, and their domains in the same order. */
  readonly names: readonly string[];
  readonly axes: readonly (AttributeDomain | NoAnswerDomain)[];
  /** Return the bin of each attribute's value, in their order; a value outside its domain throws a DomainError. */
  index(value: Readonly<Record<string, number | string | null>>): number[];
  /** Return the name, for people, of a combination of bins. */
  label(index: readonly number[]): string;
}

export type Domain = AttributeDomain | NoAnswerDomain | ProductDomain;

/** A person's value, or null for no answer; of several attributes an object with one for each, by name. */
export type Value = number | string | null | Readonly<Record<string, number | string | null>>;

/** Randomises one person's value under a plan, with coins from `crypto.getRandomValues`. */
export class Client {
  /**
   * Throws a PlanError if the plan is not valid, or states another fingerprint than it has; also if its ε exceeds `maxEpsilon`, or if it
   * has another fingerprint than the one, known in another way, that alone is accepted.
   */
  constructor(plan: PlanDescription, options?: { readonly maxEpsilon?: number; readonly fingerprint?: string });
  readonly domain: Domain;
  /** The most that a report reveals. */
  readonly epsilon: number;
  /** Which plan this is: 16 hexadecimal digits, a digest of everything in it. */
  readonly fingerprint: string;
  /**
   * Return a report of the value, as bytes to send.
   *
   * A value outside the domain throws a DomainError, and is never silently clipped. Encode a value once, and send the same bytes
   * again when sending fails: every further report reveals as much again. Version 2 of the wire takes fewer bytes than version 1,
   * which older collectors read too.
   */
  encode(value: Value, options?: { readonly version?: 1 | 2 }): Uint8Array;
}

/** What a report says: only what any receiver of it could find out as well. */
export interface ReportDescription {
  /** The report's length. */
  readonly bytes: number;
  /** The report itself, two digits a byte. */
  readonly hexadecimal: string;
  readonly fingerprint: string;
  readonly epsilon: number;
  /** The level that chance chose, from 0, out of `levels`. */
  readonly level: number;
  readonly levels: number;
  /** How many neighbouring answers this level takes together. */
  readonly blockSize: number;
  /** How the report was randomised. */
  readonly oracle: string;
  /** By how much the grid of blocks was moved, where it is. */
  readonly shift?: number;
  /** The randomised symbol, below `symbols`, of reports that have one. */
  readonly symbol?: number;
  readonly symbols?: number;
  /** The question that chance drew, of reports that have one: a line below `lines`, or a hash's three coefficients. */
  readonly line?: number;
  readonly lines?: number;
  readonly coefficients?: readonly number[];
  /** The marked places, out of `outOf`, of reports that have a bit for each. */
  readonly chosen?: readonly number[];
  readonly outOf?: number;
  /** Of several attributes: into how many parts this level cuts each, 1 if it does not ask about it. */
  readonly attributes?: readonly { readonly name: string; readonly parts: number }[];
  /** How many answers there are: the domain's bins or, of several attributes, the combinations of the level's parts. */
  readonly answers: number;
  /** How many of them make this report likelier than the others do; not counted where answers are more than 65536. */
  readonly likelier?: number;
  /** The same in short sentences: the first says what it comes to, the others the details. */
  readonly sentences: readonly string[];
}

/**
 * Return a report of a value that chance picks out of the domain: what a report can look like.
 *
 * Show it to people before they answer. Their own report they should see only once it is sent: who may look first and leave
 * if it does not say what they said gives the answer away by staying.
 */
export function exampleReport(plan: PlanDescription): Uint8Array;

/** Describe a report to its owner. Throws a WireError or a MismatchError if the bytes are not one report of this plan. */
export function describe(plan: PlanDescription, bytes: Uint8Array): ReportDescription;

/** Base of all errors of this package. */
export class LdprangeError extends Error {}
/** A value is not what it must be. */
export class DomainError extends LdprangeError {}
/** A plan cannot be read. */
export class PlanError extends LdprangeError {}
/** A report was made under another plan. */
export class MismatchError extends LdprangeError {}
/** Bytes are not a report. */
export class WireError extends LdprangeError {}
