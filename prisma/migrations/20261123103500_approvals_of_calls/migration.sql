-- Questions about calls: their answers are for the gateway, and not for the agent's code.
ALTER TABLE "interrupts" ADD COLUMN "call_key" TEXT;
