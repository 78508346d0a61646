import { benchEngine } from "./engine.ts";
await benchEngine((l) => console.log(l));
