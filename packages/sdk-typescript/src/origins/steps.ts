// What a search may cost, counted alike in both SDKs: texts that others write must not stop the process that looks into them.

const STEPS_MAX = 400_000;
/** Characters that are searched in one step, and steps of one place that is looked at. */
const CHARACTERS = 100;
const PLACE = 10;

/** The steps of one action. Once they do not suffice, none are left. */
export class Steps {
  #left = STEPS_MAX;

  get areLeft(): boolean {
    return this.#left >= 0;
  }

  take(steps: number): boolean {
    this.#left = this.#left < steps ? -1 : this.#left - steps;
    return this.areLeft;
  }

  /** For a text of so many characters. */
  search(characters: number): boolean {
    return this.take(Math.floor(characters / CHARACTERS));
  }

  /** For a place at which a value of so many parts may stand. */
  look(parts: number): boolean {
    return this.take(PLACE * parts);
  }
}
