-- AlterTable
ALTER TABLE "accounting_bills" ADD COLUMN     "bill_state" TEXT;

-- AlterTable
ALTER TABLE "accounting_invoices" ADD COLUMN     "invoice_state" TEXT;

-- AlterTable
ALTER TABLE "accounting_payments" ADD COLUMN     "payment_state" TEXT;

-- AlterTable
ALTER TABLE "commerce_fulfillments" ADD COLUMN     "shipment_state" TEXT;

-- AlterTable
ALTER TABLE "commerce_orders" ADD COLUMN     "fulfillment_state" TEXT,
ADD COLUMN     "order_state" TEXT,
ADD COLUMN     "payment_state" TEXT;

-- AlterTable
ALTER TABLE "crm_opportunities" ADD COLUMN     "currency" TEXT,
ADD COLUMN     "opportunity_state" TEXT;

-- The stored records lack the new fields until they are listed again, as after a resync.
UPDATE "sync_states" SET "progress" = NULL, "since" = NULL, "token" = NULL, "absence" = NULL,
  "idle_runs" = 0, "remote_count" = NULL, "holder" = NULL, "held_until" = NULL,
  "full_listing_at" = CASE WHEN "full_listing_at" IS NOT NULL THEN 'epoch'::timestamptz END,
  "due_at" = CASE WHEN "due_at" = 'infinity' THEN "due_at" ELSE clock_timestamp() END
WHERE "topic" IN ('accounting/bills', 'accounting/invoices', 'accounting/payments',
  'commerce/fulfillments', 'commerce/orders', 'crm/opportunities');
