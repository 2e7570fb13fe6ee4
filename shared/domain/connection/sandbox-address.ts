/** Where a sandbox's programs find the gateway: their proxy, and below a connection's name the connection. */
export const gatewayPort = 3128;
export const gatewayAddress = `http://127.0.0.1:${gatewayPort}`;

/** What programs find instead of a connection's key. The gateway takes no other one from them. */
export const placeholderKey = "runfleet-gateway-adds-the-key";
