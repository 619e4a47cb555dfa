/** The parts of the contract that the simulator serves: `reduce.ts` copies them, and what they refer to. */

/** Types with the fields that are served. Fields of other types than these, scalars and enums are left out. */
export const servedFields: Readonly<Record<string, string>> = {
  QueryRoot: `bulkOperation bulkOperations currentBulkOperation customer customers customersCount deletionEvents event
    events fulfillment fulfillmentOrder fulfillmentOrders job location locations node nodes order orders ordersCount product
    products productsCount productVariant productVariants shop webhookSubscription webhookSubscriptions
    currentAppInstallation`,
  Mutation: `bulkOperationCancel bulkOperationRunQuery customerCreate customerDelete customerUpdate
    fulfillmentCancel fulfillmentCreate fulfillmentTrackingInfoUpdate orderCancel orderClose orderCreate
    orderCustomerSet orderDelete orderOpen orderUpdate productCreate productDelete productSet productUpdate
    productVariantsBulkCreate productVariantsBulkDelete productVariantsBulkUpdate
    webhookSubscriptionCreate webhookSubscriptionDelete`,
  AccessScope: 'description handle',
  ApiVersion: 'displayName handle supported',
  AppInstallation: 'accessScopes id',
  Attribute: 'key value',
  BasicEvent: `action appTitle attributeToApp attributeToUser createdAt criticalAlert hasAdditionalContent id message
    subjectId subjectType`,
  BulkOperation: `completedAt createdAt errorCode fileSize id objectCount partialDataUrl query rootObjectCount status
    type url`,
  Count: 'count precision',
  Customer: `addresses addressesV2 amountSpent canDelete createdAt defaultAddress defaultEmailAddress
    defaultPhoneNumber displayName email firstName id lastName legacyResourceId locale note numberOfOrders orders phone
    state tags taxExempt updatedAt verifiedEmail`,
  CustomerEmailAddress: 'emailAddress marketingState validFormat',
  CustomerPhoneNumber: 'marketingState phoneNumber',
  DeletionEvent: 'occurredAt subjectId subjectType',
  Domain: 'host id sslEnabled url',
  Event: 'action appTitle attributeToApp attributeToUser createdAt criticalAlert id message',
  Fulfillment: `createdAt deliveredAt displayStatus estimatedDeliveryAt fulfillmentLineItems fulfillmentOrders id
    inTransitAt legacyResourceId location name order requiresShipping status totalQuantity trackingInfo updatedAt`,
  FulfillmentLineItem: 'discountedTotalSet id lineItem originalTotalSet quantity',
  FulfillmentOrder: `assignedLocation createdAt fulfillAt fulfillBy fulfillments id lineItems order orderId orderName
    orderProcessedAt requestStatus status supportedActions updatedAt`,
  FulfillmentOrderAssignedLocation:
    'address1 address2 city countryCode location name phone province zip',
  FulfillmentOrderLineItem: `id lineItem productTitle remainingQuantity requiresShipping sku totalQuantity variant
    variantTitle vendor`,
  FulfillmentOrderSupportedAction: 'action externalUrl',
  FulfillmentTrackingInfo: 'company number url',
  Image: 'altText height id url width',
  InventoryItem:
    'createdAt id legacyResourceId measurement requiresShipping sku tracked unitCost updatedAt',
  InventoryItemMeasurement: 'id weight',
  Job: 'done id',
  LineItem: `currentQuantity customAttributes discountedTotalSet discountedUnitPriceSet fulfillableQuantity id isGiftCard
    name nonFulfillableQuantity originalTotalSet originalUnitPriceSet product quantity refundableQuantity
    requiresShipping sku taxLines taxable title totalDiscountSet unfulfilledQuantity variant variantTitle vendor`,
  Location:
    'address createdAt fulfillsOnlineOrders id isActive legacyResourceId name shipsInventory updatedAt',
  LocationAddress: 'address1 address2 city country countryCode phone province provinceCode zip',
  MailingAddress: `address1 address2 city company coordinatesValidated country countryCode countryCodeV2 firstName
    formatted formattedArea id lastName latitude longitude name phone province provinceCode timeZone zip`,
  Media: 'alt id mediaContentType status',
  MediaImage: 'alt createdAt fileStatus id image mediaContentType mimeType status updatedAt',
  MoneyBag: 'presentmentMoney shopMoney',
  MoneyV2: 'amount currencyCode',
  Order: `billingAddress billingAddressMatchesShippingAddress cancelReason cancellation cancelledAt clientIp closed
    closedAt confirmationNumber confirmed createdAt currencyCode currentSubtotalLineItemsQuantity currentSubtotalPriceSet
    currentTaxLines currentTotalDiscountsSet currentTotalPriceSet currentTotalTaxSet customAttributes customer
    customerLocale discountCode discountCodes displayAddress displayFinancialStatus displayFulfillmentStatus edited email
    estimatedTaxes fulfillable fulfillmentOrders fulfillments fulfillmentsCount fullyPaid id legacyResourceId lineItems
    name note number originalTotalPriceSet paymentGatewayNames phone poNumber presentmentCurrencyCode processedAt
    refundable requiresShipping restockable returnStatus shippingAddress shippingLine shippingLines sourceIdentifier
    sourceName subtotalLineItemsQuantity subtotalPriceSet tags taxExempt taxLines taxesIncluded test totalDiscountsSet
    totalOutstandingSet totalPrice totalPriceSet totalReceivedSet totalRefundedSet totalShippingPriceSet totalTaxSet
    totalTipReceivedSet totalWeight transactions unpaid updatedAt`,
  OrderCancellation: 'staffNote',
  OrderTransaction: 'amountSet createdAt gateway id kind processedAt status test',
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  Product: `createdAt description descriptionHtml handle hasOnlyDefaultVariant hasOutOfStockVariants id isGiftCard
    legacyResourceId media onlineStoreUrl options priceRangeV2 productType publishedAt requiresSellingPlan status tags
    templateSuffix title totalInventory tracksInventory updatedAt variants variantsCount vendor`,
  ProductOption: 'id name optionValues position values',
  ProductOptionValue: 'hasVariants id name',
  ProductPriceRangeV2: 'maxVariantPrice minVariantPrice',
  ProductVariant: `availableForSale barcode compareAtPrice createdAt displayName id inventoryItem inventoryPolicy
    inventoryQuantity legacyResourceId position price product requiresComponents selectedOptions sellableOnlineQuantity
    showUnitPrice sku taxable title updatedAt`,
  SelectedOption: 'name optionValue value',
  ShippingLine: `code currentDiscountedPriceSet custom discountedPriceSet id isRemoved originalPriceSet source taxLines
    title`,
  Shop: `contactEmail createdAt currencyCode email enabledPresentmentCurrencies ianaTimezone id myshopifyDomain name
    plan primaryDomain shopAddress shopOwnerName taxShipping taxesIncluded timezoneAbbreviation timezoneOffset
    timezoneOffsetMinutes unitSystem updatedAt url weightUnit`,
  ShopAddress: `address1 address2 city company coordinatesValidated country countryCodeV2 id phone province
    provinceCode zip`,
  ShopPlan: 'partnerDevelopment publicDisplayName shopifyPlus',
  TaxLine: 'priceSet rate ratePercentage source title',
  Weight: 'unit value',
  WebhookHttpEndpoint: 'callbackUrl',
  WebhookSubscription: `apiVersion callbackUrl createdAt endpoint filter format id includeFields legacyResourceId
    metafieldNamespaces name topic updatedAt uri`,
}

/** Interfaces and unions that are served without further fields than those above. */
export const servedAbstract: readonly string[] = [
  'DisplayableError',
  'LegacyInteroperability',
  'Node',
  'WebhookSubscriptionEndpoint',
]

/** Arguments and input fields that are served of the inputs that the served mutations take. */
export const servedInputs: Readonly<Record<string, string>> = {
  AttributeInput: 'key value',
  CustomerDeleteInput: 'id',
  CustomerInput: 'addresses email firstName id lastName locale note phone tags taxExempt',
  FileSetInput: 'alt contentType originalSource',
  FulfillmentInput: 'lineItemsByFulfillmentOrder notifyCustomer trackingInfo',
  FulfillmentOrderLineItemInput: 'id quantity',
  FulfillmentOrderLineItemsInput: 'fulfillmentOrderId fulfillmentOrderLineItems',
  FulfillmentTrackingInput: 'company number numbers url urls',
  InventoryItemInput: 'cost measurement requiresShipping sku tracked',
  InventoryItemMeasurementInput: 'weight',
  InventoryLevelInput: 'availableQuantity locationId',
  MailingAddressInput: `address1 address2 city company countryCode firstName lastName phone provinceCode zip`,
  MoneyBagInput: 'presentmentMoney shopMoney',
  MoneyInput: 'amount currencyCode',
  OptionCreateInput: 'name position values',
  OptionSetInput: 'id name position values',
  OptionValueCreateInput: 'name',
  OptionValueSetInput: 'id name',
  OrderCancelRefundMethodInput: 'originalPaymentMethodsRefund',
  OrderCloseInput: 'id',
  OrderCreateAssociateCustomerAttributesInput: 'email id',
  OrderCreateCustomAttributeInput: 'key value',
  OrderCreateCustomerInput: 'toAssociate toUpsert',
  OrderCreateLineItemInput: `priceSet productId quantity requiresShipping sku taxLines taxable title variantId variantTitle
    vendor`,
  OrderCreateOptionsInput: 'inventoryBehaviour sendFulfillmentReceipt sendReceipt',
  OrderCreateOrderInput: `billingAddress closedAt currency customAttributes customer customerId email
    financialStatus lineItems name note phone poNumber presentmentCurrency processedAt shippingAddress shippingLines
    sourceIdentifier sourceName tags taxLines taxesIncluded test transactions`,
  OrderCreateOrderTransactionInput: 'amountSet gateway kind processedAt status test',
  OrderCreateShippingLineInput: 'code priceSet source taxLines title',
  OrderCreateTaxLineInput: 'priceSet rate title',
  OrderCreateUpsertCustomerAttributesInput: 'email firstName id lastName note phone tags taxExempt',
  OrderInput: 'customAttributes email id note phone poNumber shippingAddress tags',
  OrderOpenInput: 'id',
  ProductCreateInput:
    'descriptionHtml handle productOptions productType status tags templateSuffix title vendor',
  ProductDeleteInput: 'id',
  ProductSetIdentifiers: 'handle id',
  ProductSetInput: `descriptionHtml files handle id productOptions productType status tags templateSuffix title variants
    vendor`,
  ProductSetInventoryInput: 'locationId name quantity',
  ProductUpdateIdentifiers: 'handle id',
  ProductUpdateInput:
    'descriptionHtml handle id productType status tags templateSuffix title vendor',
  ProductVariantSetInput: `barcode compareAtPrice id inventoryItem inventoryPolicy inventoryQuantities optionValues position
    price sku taxable`,
  ProductVariantsBulkInput: `barcode compareAtPrice id inventoryItem inventoryPolicy inventoryQuantities optionValues price
    taxable`,
  VariantOptionValueInput: 'id name optionId optionName',
  WebhookSubscriptionInput: 'callbackUrl format includeFields uri',
  WeightInput: 'unit value',
}

/** Arguments that are left out wherever they occur: the simulator has nothing that they would change. */
export const unservedArguments: readonly string[] = [
  'allowPartialUpdates',
  'displayable',
  'includeInactive',
  'includeLegacy',
  'input.ProductInput',
  'manuallyResolvable',
  'media',
  'savedSearchId',
]
