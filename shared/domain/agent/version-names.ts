/** The version of a new agent whose publisher names none. */
export const defaultVersion = "1.0.0";

/** How the names of development versions begin. `latest` and a rollback pass them over. */
export const devPrefix = "0.0.0-dev.";
