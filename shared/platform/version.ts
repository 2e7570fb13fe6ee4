/** The version of the service, in its OpenAPI document and in its workers' records. */
export const version = "2.0.0";
