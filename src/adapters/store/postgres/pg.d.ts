/** The part of `pg` used here. The package is optional, so its types may be missing. */
declare module "pg" {
  import type { ConnectionOptions } from "node:tls";

  export interface Settings {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly password: () => string;
    readonly ssl: ConnectionOptions | false;
    readonly options: string | undefined;
    readonly application_name: string;
    readonly connectionTimeoutMillis: number;
    readonly statement_timeout: number;
    readonly lock_timeout?: number;
    readonly query_timeout: number;
    readonly keepAlive: boolean;
  }

  export interface Statement {
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
  }

  export interface Answer {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }

  export interface Notice {
    readonly channel: string;
  }

  export class Client {
    constructor(settings: Settings);
    connect(): Promise<void>;
    query(statement: string | Statement, values?: readonly unknown[]): Promise<Answer>;
    end(): Promise<void>;
    on(event: "error", heard: (error: Error) => void): this;
    on(event: "notification", heard: (notice: Notice) => void): this;
    once(event: "end", heard: () => void): this;
    /** Whether the connection keeps the process from ending. */
    ref(): void;
    unref(): void;
  }

  const pg: { readonly Client: typeof Client };
  export default pg;
}
