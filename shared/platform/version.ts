/** The version of the service, as its OpenAPI document and its workers tell it. */
export const version = "2.0.0";
