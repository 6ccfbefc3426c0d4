/** The library behind the command `roofline`. Answers are those of the command's `--json`: SI units, null where something is not known. */

/** A value as it is typed: 4096, '4Ki', 'same'; in sweeps lists and ranges: '1..1024*2', '1,8,64'. */
export type Value = number | string;

/** Parameters by name; several that are equal have one key: `{ 'm=n=k': 4096 }`. */
export type Values = Readonly<Record<string, Value | undefined>>;

export type Several<T> = T | readonly T[];

/** Machines and formats, under the command's names. */
export interface Formats {
  /** A name or an alias of the catalogue, or a file that was kept; several are several answers. */
  readonly machine?: Several<string>;
  /** A machine without a file: its FLOP/s ('19.5TFLOP/s', or of one format 'fp16:312TFLOP/s'), with `bandwidth`. */
  readonly peak?: Several<string>;
  readonly bandwidth?: string;
  readonly dtype?: Several<string>;
  readonly weights?: string;
  readonly group?: Value;
  readonly accumulate?: string;
  readonly output?: string;
  readonly kv?: string;
}

/** What a prediction is made with. */
export interface Assumptions {
  readonly efficiency?: Value;
  readonly overhead?: Value;
  readonly launch?: Value;
  readonly overlap?: Value;
  readonly tile?: Value;
  readonly unit?: 'vector' | 'matrix';
  readonly link?: string;
  readonly framework?: string;
  readonly without?: string;
  readonly sparse?: boolean;
  readonly warm?: boolean;
  readonly cold?: boolean;
  readonly achieved?: boolean;
}

/** Of operations. */
export interface Options extends Formats, Assumptions {}

/** One machine and one format: one answer. */
export interface OneOption extends Options {
  readonly machine?: string;
  readonly dtype?: string;
}

/** Of operations and of models: `precision` is of a model's weights. */
export interface AdviseOptions extends Options {
  readonly precision?: string;
}

/** Of models. */
export interface ModelOptions extends Omit<Formats, 'weights' | 'group' | 'accumulate' | 'output'>, Assumptions {
  readonly precision?: string;
  readonly mode?: string;
  readonly fuse?: string;
  readonly network?: string;
  /** Of a device and hour; of each machine: 'h100=2.5,a100=1.5'. */
  readonly price?: Value;
  readonly recompute?: string;
  readonly train?: boolean;
  readonly lenient?: boolean;
}

export type Regime = 'compute' | 'memory' | 'overhead' | 'network' | 'capacity';

/** s */
export interface Seconds {
  readonly compute: number | null;
  readonly memory: number | null;
  readonly overhead: number | null;
  readonly network: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly expected: number | null;
  readonly expected_low: number | null;
  readonly expected_high: number | null;
}

/** roofline.prediction/1 */
export interface Prediction {
  readonly schema: 'roofline.prediction/1';
  readonly machine: string;
  readonly op: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly dtype: string;
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly intensity: number | null;
  readonly ridge: number | null;
  readonly regime: Regime;
  readonly binding: string;
  readonly attainable_flops_per_second: number | null;
  readonly device_class: string | null;
  readonly seconds: Seconds;
  readonly levels: readonly {
    readonly name: string;
    readonly bytes: number | null;
    readonly intensity: number | null;
    readonly ridge: number | null;
    readonly seconds: number | null;
  }[];
  readonly effects: readonly { readonly name: string; readonly factor: number | null; readonly seconds?: number | null; readonly why: string }[];
  readonly energy_joules: number | null;
  readonly [more: string]: unknown;
}

/** roofline.predictions/1: several machines or formats. */
export interface Predictions {
  readonly schema: 'roofline.predictions/1';
  readonly predictions: readonly Prediction[];
}

/** roofline.sweep/1 */
export interface Sweep {
  readonly schema: 'roofline.sweep/1';
  readonly points: readonly Prediction[];
  readonly crossings: readonly Readonly<Record<string, unknown>>[];
}

/** roofline.model/1 */
export interface Model {
  readonly schema: 'roofline.model/1';
  readonly name: string;
  readonly machine: string;
  readonly parameters: number;
  readonly ttft_seconds: number | null;
  readonly tpot_seconds: number | null;
  readonly tokens_per_second: number | null;
  readonly memory: Readonly<Record<string, number | boolean | null>>;
  readonly phases: Readonly<Record<string, { readonly seconds: Seconds; readonly [more: string]: unknown }>>;
  readonly [more: string]: unknown;
}

/** roofline.models/1 on several machines, roofline.model_sweep/1 where a setting has several values. */
export interface Models {
  readonly schema: 'roofline.models/1' | 'roofline.model_sweep/1';
  readonly [more: string]: unknown;
}

export interface Machine {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly aliases: readonly string[];
  readonly memory_bytes: number | null;
  readonly bytes_per_second: number | null;
  readonly ridge: number | null;
  readonly [more: string]: unknown;
}

export interface Operation {
  readonly name: string;
  readonly family: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly default: number | string | null; readonly choices: readonly string[]; readonly [more: string]: unknown }[];
  readonly [more: string]: unknown;
}

/** What the command refuses, in its words. */
export class RooflineError extends Error {
  /** The exit code of the command: 2 for a question that is wrong, 3 for what cannot be, 4 without memory. */
  readonly code: number;
}

export class Roofline {
  private constructor();
  predict(operation: string, values?: Values, options?: OneOption): Prediction;
  predict(operation: string, values?: Values, options?: Options): Prediction | Predictions;
  sweep(operation: string, values?: Values, options?: Options): Sweep;
  model(name: string, values?: Values, options?: ModelOptions): Model | Models;
  advise(name: string, values?: Values, options?: AdviseOptions): Readonly<Record<string, unknown>>;
  /** SVG: a roofline with an operation or a model on it; without a name ('') of the machines alone. */
  plot(name: string, values?: Values, options?: Formats & { readonly arrows?: boolean }): string;
  /** SVG: the curves of a sweep, of an operation or of a model. */
  curve(name: string, values?: Values, options?: Options | ModelOptions): string;
  machines(): readonly Machine[];
  operations(): readonly Operation[];
  models(): readonly { readonly name: string; readonly aliases: string }[];
  /** Keeps a file (NAME.json of a machine or a model's config, .gguf, .onnx, .csv of prices; other names throw), so that names may be it; of GGUF its beginning is enough, with the length of all. */
  keep(name: string, content: string | Uint8Array, whole?: number): void;
  /** A figure with a prefix, as the command writes it: 4.646 ms; null is "unknown". */
  quantity(value: number | null, unit?: string): string;
  /** Words of a command line: the exit code, and what the command prints or why it does not. */
  ask(words: readonly string[]): { readonly code: number; readonly text: string };
  /** What the command prints; throws where it refuses. */
  printed(words: readonly string[]): string;
}

/** Starts the library; each has its own memory. Its two files lie next to this one, unless their bytes are given. */
export function open(files?: { readonly wasm?: BufferSource | WebAssembly.Module; readonly catalogue?: BufferSource }): Promise<Roofline>;
