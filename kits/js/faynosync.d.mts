export * from "./dist/faynosync.js";
