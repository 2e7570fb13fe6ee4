-- An answer is that of its question, whatever the order in which the code comes to its questions. Null: answers go by that order.
ALTER TABLE "interrupts" ADD COLUMN "question_key" TEXT;
