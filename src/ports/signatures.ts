import type { Own } from "../core/values/signers.ts";

/** People's signatures, made and verified by OpenSSH. */
export interface Signatures {
  /** Whether one of these keys signed this text for a release, under this name, and is valid at this time. */
  readonly verify: (signed: Signed) => Promise<Verified>;
  /** Signs a text. The person may be asked for a passphrase or a touch at the terminal. */
  readonly sign: (text: string, key: string) => Promise<Signature>;
  /** This user's public keys, by file. */
  readonly keys: () => Promise<readonly OwnKey[]>;
  /** The fingerprint of a public key as OpenSSH writes it, such as SHA256:abc. */
  readonly fingerprint: (key: string) => string;
  /** Makes a new key for this user, at the terminal. */
  readonly make: (name: string, options: { readonly hardware: boolean }) => Promise<Made>;
}

export interface Signed {
  readonly text: string;
  readonly signature: string;
  readonly by: string;
  /** Contents of `allowed_signers` and of the file with revoked keys. */
  readonly signers: string;
  readonly revoked: string;
  readonly at: string;
}

export type Verified =
  | {
      readonly kind: "good";
      readonly key: string;
      readonly hardware: boolean;
      /** The names the key is listed under. */
      readonly names: readonly string[];
    }
  | Problem;

export type Signature = { readonly kind: "signed"; readonly signature: string } | Problem;

export type Made = { readonly kind: "made"; readonly key: OwnKey } | Problem;

export interface Problem {
  readonly kind: "problem";
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export interface OwnKey extends Own {
  /** The file of the private key, or of the public key if an agent or a device holds the private one. */
  readonly file: string;
  readonly type: string;
  readonly comment: string;
  /** The private key is not encrypted: whoever can read the file can sign with it. */
  readonly open: boolean;
}
