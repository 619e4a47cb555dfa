-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "missed_until" TIMESTAMPTZ(3);
