/** What an adapter could not do, worded for whoever can fix it. */
export interface Problem<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly fix: string;
}

/** Carries a problem out of nested calls. If nobody on the way handles it, the surface reports it. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, message: string = problem.message) {
    super(message);
    this.problem = problem;
  }
}

/** The store could not be reached, or refused. `gone`: the connection could not be made, or was lost. */
export class StoreProblem extends ProblemError {
  override readonly name = "StoreProblem";
  readonly gone: boolean;

  constructor(problem: Problem, gone = false) {
    super(problem);
    this.gone = gone;
  }
}
