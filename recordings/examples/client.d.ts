/** The server ran out of GPU memory. */
export declare class OutOfMemory extends Error {
}
export declare function generate(url: string, workflow?: object): Promise<string[]>;
