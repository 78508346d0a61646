/** What an adapter could not do, for whoever can put it right. */
export interface Problem<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly fix: string;
}

/** Carries a problem out of nested calls. Where nobody on the way can answer with it, the surface does. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, message: string = problem.message) {
    super(message);
    this.problem = problem;
  }
}

/** The store could not be asked, or would not do it. `gone`: it was never reached, or lost on the way. */
export class StoreProblem extends ProblemError {
  override readonly name = "StoreProblem";
  readonly gone: boolean;

  constructor(problem: Problem, gone = false) {
    super(problem);
    this.gone = gone;
  }
}
